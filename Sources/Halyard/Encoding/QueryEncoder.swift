import HalyardHTTP

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
