/// The headers of a message (RFC 9110 section 5). Order and duplicates are kept. Names are case-insensitive.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept-Language": "en"]
/// headers["Authorization"] = "Bearer \(token)"          // replaces
/// try headers.append("b", for: "X-Tag")                  // adds a field of the same name
/// ```
///
/// A header is never stored if its name is not a token or its value contains a line break or another control character.
/// Members that cannot throw (literals, the subscript) skip such a header and remember it. A request with these headers
/// then fails with ``HTTPError`` of kind `invalidHeader` before anything is sent. To clear the failure, set a valid
/// value for the name or remove the name.
public struct HTTPHeaders: Sendable {
    /// A header with a valid name and value.
    public struct Field: Hashable, Sendable {
        /// The name in its original spelling.
        public let name: Name
        /// The value, without leading and trailing whitespace. It may be empty. It is sent as UTF-8.
        public let value: String

        /// Makes a field. Blanks at the ends of the value are removed. Throws ``HTTPError`` of kind `invalidHeader` for a name
        /// that is not a token, or a value with a control character.
        package init(_ name: String, _ value: String) throws(HTTPError) {
            self.name = try Name(name)
            if let reason = HTTPHeaders.problem(ofValue: value) {
                throw HTTPError(.invalidHeader(name), reason: reason)
            }
            self.value = value.trimmingBlanks
        }

        /// Makes a field of the line of a response. The value is UTF-8, or ISO-8859-1 where it is not valid UTF-8. Throws
        /// ``HTTPError`` of kind `invalidResponse`.
        package init(line: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw HTTPError(.invalidResponse, reason: "a header line has no colon")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            do throws(HTTPError) { self.name = try Name(name) } catch { throw Self.invalid(name, error.reason ?? "") }
            value = try Self.value(line[(colon + 1)...], of: self.name)
        }

        /// Makes a field that is known to be valid.
        package init(known name: Name, _ value: StaticString) { self.init(name: name, value: "\(value)") }

        fileprivate init(name: Name, value: String) {
            self.name = name
            self.value = value
        }

        /// The field with the value of a continuation line.
        fileprivate func continued(_ more: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Field {
            let more = try Self.value(more[...], of: name)
            return Field(name: name, value: value.isEmpty ? more : value + " " + more)
        }

        private static func invalid(_ name: String, _ reason: String) -> HTTPError {
            HTTPError(.invalidResponse, reason: "the header \(name.quoted): \(reason)")
        }

        private static func value(
            _ bytes: Slice<UnsafeBufferPointer<UInt8>>, of name: Name
        ) throws(HTTPError) -> String {
            let bytes = UnsafeBufferPointer(rebasing: bytes.trimmingBlanks)
            var all: UInt8 = 0
            for byte in bytes {
                guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else {
                    throw invalid(name.rawValue, "its value contains a control character")
                }
                all |= byte
            }
            // ASCII needs no validation, which costs more than the rest of the work on a field.
            if all < 0x80 { return String(decoding: bytes, as: UTF8.self) }
            return String(utf8: bytes) ?? (name.matches("Location") ? .percentEncoding(bytes) : .latin1(bytes))
        }
    }

    private var fields: [Field] = []
    /// The fields that were rejected and not corrected since. Nearly always empty.
    private var rejections: [(error: HTTPError, name: String)] = []
    package var rejection: HTTPError? { rejections.first?.error }

    /// Creates empty headers.
    public init() {}

    /// Creates headers from fields, in their order.
    ///
    /// ```swift
    /// let plain = HTTPHeaders(request.headers.filter { $0.name != .authorization })
    /// ```
    ///
    /// - Parameter fields: The fields. Repeated names are kept.
    public init(_ fields: some Sequence<Field>) {
        // Other headers may have fields that were rejected.
        if let headers = fields as? HTTPHeaders { self = headers } else { self.fields = Array(fields) }
    }

    /// Creates headers from a dictionary, in the order of the names.
    ///
    /// An invalid header is skipped, as in a literal. A request with these headers fails.
    public init(_ dictionary: [String: String]) {
        self.init(lenient: dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Makes empty headers with room for `count` fields.
    package init(reserving count: Int) { fields.reserveCapacity(count) }

    /// The value of the header with a name. Values of repeated headers are joined by ", " (RFC 9110 section 5.3).
    ///
    /// Use ``values(for:)`` for `Set-Cookie`, whose values cannot be joined. Setting a value replaces every header with
    /// the name, at the position of the first one. Setting `nil` removes them.
    ///
    /// - Parameter name: The name of the header, in any case.
    public subscript(_ name: String) -> String? {
        get {
            var joined: String?
            for field in fields where field.name.matches(name) {
                if joined == nil { joined = field.value } else { joined?.append(", " + field.value) }
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            do throws(HTTPError) { try replace(Field(name, newValue)) } catch { rejections.append((error, name)) }
        }
    }

    /// The value of the header with a well-known name. See ``subscript(_:)-(String)``.
    public subscript(_ name: Name) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }

    /// Returns the values of all headers with a name, in order.
    ///
    /// - Parameter name: The name, in any case.
    public func values(for name: String) -> [String] {
        fields.lazy.filter { $0.name.matches(name) }.map(\.value)
    }

    /// Returns whether a header with a name exists.
    ///
    /// - Parameter name: The name, in any case.
    public func contains(_ name: String) -> Bool { fields.contains { $0.name.matches(name) } }

    /// Appends a header. Existing headers with the same name are kept.
    ///
    /// - Parameters:
    ///   - value: Any text without control characters. Leading and trailing whitespace is removed.
    ///   - name: An RFC 9110 token.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` if the name or value breaks these rules. Nothing is added then.
    public mutating func append(_ value: String, for name: String) throws(HTTPError) {
        try fields.append(Field(name, value))
    }

    /// Adds a valid field at the end.
    package mutating func add(_ field: Field) { fields.append(field) }

    /// Adds a continuation line to the value of the last field (RFC 9112 section 5.2). Returns false when there is no
    /// field. Throws ``HTTPError`` of kind `invalidResponse`.
    package mutating func continueLast(_ more: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Bool {
        guard let last = fields.last else { return false }
        fields[fields.count - 1] = try last.continued(more)
        return true
    }

    /// Removes all headers with a name.
    ///
    /// - Parameter name: The name, in any case.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.matches(name) }
        clearRejections(of: name)
    }

    /// Removes the fields for which `isGone` returns true.
    package mutating func removeAll(where isGone: (Field) -> Bool) { fields.removeAll(where: isGone) }

    /// Adds all fields of `other`. They replace the fields of the same names.
    package mutating func merge(_ other: HTTPHeaders) {
        if fields.isEmpty {
            fields = other.fields
        } else if !other.fields.isEmpty {
            fields.removeAll { mine in other.fields.contains { $0.name == mine.name } }
            fields.append(contentsOf: other.fields)
        }
        if rejections.isEmpty && other.rejections.isEmpty { return }
        for field in other.fields { clearRejections(of: field.name.rawValue) }
        rejections += other.rejections
    }

    private mutating func replace(_ field: Field) {
        clearRejections(of: field.name.rawValue)
        guard let place = fields.firstIndex(where: { $0.name == field.name }) else { return fields.append(field) }
        let rest = fields[(place + 1)...].filter { $0.name != field.name }
        fields.replaceSubrange(place..., with: [field] + rest)
    }

    /// Forgets the rejected fields of a name that was corrected or removed.
    private mutating func clearRejections(of name: String) {
        if !rejections.isEmpty { rejections.removeAll { $0.name.equalsIgnoringASCIICase(name) } }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers in the order of the literal. Repeated names are kept.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(lenient: elements)
    }

    /// Makes headers where nothing can be thrown. An invalid field is left out and remembered.
    package init(lenient pairs: some Sequence<(String, String)>) {
        for (name, value) in pairs { appendLeniently(value, for: name) }
    }

    /// Appends a field. An invalid one, or one without a text, is left out and remembered.
    package mutating func appendLeniently(_ value: String?, for name: String) {
        do throws(HTTPError) {
            guard let value else { throw HTTPError(.invalidHeader(name), reason: "its value is not text") }
            try append(value, for: name)
        } catch { rejections.append((error, name)) }
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first header.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last header.
    public var endIndex: Int { fields.endIndex }
    /// The header at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: Equatable {
    /// Compares headers in order: names ignoring case, values exactly.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields == right.fields && left.rejection?.kind == right.rejection?.kind
            && left.rejection?.reason == right.rejection?.reason
    }
}

extension String {
    /// The text without blanks at its ends.
    fileprivate var trimmingBlanks: String {
        guard let first = utf8.first, let last = utf8.last, first.isBlank || last.isBlank else { return self }
        return String(Substring(utf8.trimmingBlanks))
    }

    /// Decodes ISO-8859-1, in which every byte is a character.
    fileprivate static func latin1(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Keeps the bytes of a URL that is not UTF-8, as browsers do: as characters they would be other bytes.
    fileprivate static func percentEncoding(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let text = bytes.flatMap { byte -> [UInt8] in
            let (sign, high, low) = byte.percentEncoded
            return byte < 0x80 ? [byte] : [sign, high, low]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
