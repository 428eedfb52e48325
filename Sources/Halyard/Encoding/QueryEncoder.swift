package import HalyardHTTP

/// Writes parameters as `name=value&name=value`, for a query or a form, into one buffer.
struct QueryEncoder {
    private var bytes: [UInt8] = []

    static func encode(
        _ parameters: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated
    ) throws(HTTPError) -> [UInt8] {
        var encoder = QueryEncoder()
        encoder.bytes.reserveCapacity(parameters.items.count * 24)
        try FlatParameters.visit(parameters, arrays) { (name, value) throws(HTTPError) in
            try encoder.append(value, name)
        }
        return encoder.bytes
    }

    /// Writes pairs of text in their order, with empty names.
    static func encode(pairs: KeyValuePairs<String, String>) -> [UInt8] {
        var encoder = QueryEncoder()
        for (name, value) in pairs {
            encoder.appendName(.root(name))
            encoder.bytes.append(percentEncoding: value)
        }
        return encoder.bytes
    }

    private mutating func append(_ value: ParameterValue, _ name: FlatParameters.Name) throws(HTTPError) {
        appendName(name)
        guard case .list(let values) = value.storage else { return try append(value, of: name.root) }
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            try append(value, of: name.root)
        }
    }

    private mutating func append(_ value: ParameterValue, of name: String) throws(HTTPError) {
        guard let text = value.text else {
            throw HTTPError(.encoding(name), reason: "a file can only be sent in a multipart form")
        }
        bytes.append(percentEncoding: text)
    }

    private mutating func appendName(_ name: FlatParameters.Name) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(name)
        bytes.append(UInt8(ascii: "="))
    }

    private mutating func append(_ name: FlatParameters.Name) {
        switch name {
        case .root(let name): bytes.append(percentEncoding: name)
        case .member(let name, let member):
            append(name)
            bytes.append(contentsOf: "%5B".utf8)
            bytes.append(percentEncoding: member)
            bytes.append(contentsOf: "%5D".utf8)
        }
    }
}

/// Percent-encoding (RFC 3986 section 2.1) into a buffer of bytes.
extension [UInt8] {
    /// Appends text, with every byte outside `allowed` as `%XX`.
    package mutating func append(percentEncoding text: some StringProtocol, allowed: ASCIISet = .unreserved) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(percentEncoding: $0, allowed) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { append(percentEncoding: $0, allowed) } }
    }

    private mutating func append(percentEncoding bytes: UnsafeBufferPointer<UInt8>, _ allowed: ASCIISet) {
        // The text is encoded in pieces, so that the memory is on the stack.
        let piece = Swift.min(bytes.count, 256)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * piece) { room in
            guard let room = room.baseAddress else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = allowed.percentEncode(UnsafeBufferPointer(rebasing: rest.prefix(piece)), into: room)
                append(contentsOf: UnsafeBufferPointer(start: room, count: count))
                rest = rest.dropFirst(piece)
            }
        }
    }

    package mutating func append(percentEncoded byte: UInt8) {
        let (percent, high, low) = byte.percentEncoded
        append(percent)
        append(high)
        append(low)
    }
}
