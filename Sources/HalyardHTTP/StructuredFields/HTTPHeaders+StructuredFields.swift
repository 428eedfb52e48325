extension HTTPHeaders {
    /// Returns a header that is an item (RFC 9651 section 3.3); `nil` if there is none.
    ///
    /// ```swift
    /// let date = try response.headers.structuredItem("Deprecation")?.value  // .date(1688169599)
    /// ```
    ///
    /// Throws ``HTTPError`` of kind `decoding`.
    public func structuredItem(_ name: String) throws(HTTPError) -> StructuredItem? {
        guard contains(name) else { return nil }
        return try structured(name) { (reader) throws(StructuredFieldReader.Failure) in try reader.item() }
    }

    /// Returns the members of a list (RFC 9651 section 3.1), from all headers with the name. Empty if there are none.
    ///
    /// Throws ``HTTPError`` of kind `decoding`.
    public func structuredList(_ name: String) throws(HTTPError) -> [StructuredMember] {
        try structured(name) { (reader) throws(StructuredFieldReader.Failure) in try reader.list() }
    }

    /// Returns the members of all headers with a name that are a dictionary (RFC 9651 section 3.2). Of members with the
    /// same name, the last one counts.
    ///
    /// Throws ``HTTPError`` of kind `decoding`.
    public func structuredDictionary(_ name: String) throws(HTTPError) -> StructuredDictionary {
        try structured(name) { (reader) throws(StructuredFieldReader.Failure) in try reader.dictionary() }
    }

    private func structured<Value>(
        _ name: String, _ read: (inout StructuredFieldReader) throws(StructuredFieldReader.Failure) -> Value
    ) throws(HTTPError) -> Value {
        var reader = StructuredFieldReader(values(for: name).joined(separator: ", "))
        do { return try read(&reader) } catch {
            throw HTTPError(
                .decoding,
                reason: "its header \"\(name)\" is not a structured field: "
                    + "\(error.expected) was expected after \(error.offset) bytes",
                suggestion: "Read the header as text")
        }
    }
}

extension StructuredItem {
    /// Returns the item as the value of a header. Throws ``HTTPError`` of kind `encoding` for a value that a structured
    /// field cannot have, such as a string that is not ASCII.
    public func fieldValue() throws(HTTPError) -> String {
        var writer = StructuredFieldWriter()
        try writer.append(self)
        return writer.text
    }
}

extension [StructuredMember] {
    /// Returns the list as the value of a header, which is left out if it is empty. Throws ``HTTPError`` of kind
    /// `encoding` for a value that a structured field cannot have.
    public func fieldValue() throws(HTTPError) -> String {
        var writer = StructuredFieldWriter()
        try writer.append(self)
        return writer.text
    }
}

extension StructuredDictionary {
    /// Returns the dictionary as the value of a header, which is left out if it is empty. Throws ``HTTPError`` of kind
    /// `encoding` for a value that a structured field cannot have.
    public func fieldValue() throws(HTTPError) -> String {
        var writer = StructuredFieldWriter()
        try writer.append(self)
        return writer.text
    }
}

extension StructuredMember {
    /// Returns the member as it is written in a list.
    package func fieldValue() throws(HTTPError) -> String {
        var writer = StructuredFieldWriter()
        try writer.append(self)
        return writer.text
    }
}
