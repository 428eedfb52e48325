package import HalyardHTTP

/// Writes parameters as `name=value&name=value`, for a query or a form, into one buffer.
package struct QueryEncoder: ~Copyable {
    private var bytes = ByteBuffer(capacity: 512)

    /// Writes parameters, and passes the bytes to a closure.
    static func encode<Result>(
        _ parameters: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated,
        _ use: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(HTTPError) -> Result {
        var encoder = QueryEncoder()
        try FlatParameters.visit(parameters, arrays) { (name, value) throws(HTTPError) in
            try encoder.append(value, name)
        }
        return encoder.bytes.withBytes(use)
    }

    package static func encode(
        _ parameters: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated
    ) throws(HTTPError) -> [UInt8] {
        try encode(parameters, arrays: arrays) { Array($0) }
    }

    /// Writes pairs of text in their order, with empty names.
    static func encode(pairs: KeyValuePairs<String, String>) -> [UInt8] {
        var encoder = QueryEncoder()
        for (name, value) in pairs {
            encoder.append([name])
            encoder.append(value)
        }
        return encoder.bytes.withBytes { Array($0) }
    }

    private mutating func append(_ value: ParameterValue, _ name: FlatParameters.Name) throws(HTTPError) {
        append(name)
        switch value.storage {
        case .text(let text), .number(let text): append(text)
        case .integer(let number): bytes.append(decimal: number)
        case .list(let values):
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(",") }
                try append(value.text, of: name[0])
            }
        default: try append(value.text, of: name[0])
        }
    }

    private mutating func append(_ text: String?, of name: String) throws(HTTPError) {
        guard let text else {
            throw HTTPError(.encoding(name), reason: "a file can only be sent in a multipart form")
        }
        append(text)
    }

    private mutating func append(_ name: FlatParameters.Name) {
        if bytes.count > 0 { bytes.append("&") }
        for (index, part) in name.enumerated() {
            if index > 0 { bytes.append("%5B") }
            append(part)
            if index > 0 { bytes.append("%5D") }
        }
        bytes.append("=")
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { text in
            bytes.append(reserving: 3 * text.count) { ASCIISet.unreserved.percentEncode(text, into: $0) }
        }
    }
}

extension [UInt8] {
    /// Appends text, with every byte outside `allowed` as `%XX` (RFC 3986 section 2.1).
    package mutating func append(percentEncoding text: some StringProtocol, allowed: ASCIISet = .unreserved) {
        for byte in text.utf8 {
            if allowed.contains(byte) { append(byte) } else { append(percentEncoded: byte) }
        }
    }

    package mutating func append(percentEncoded byte: UInt8) {
        let (percent, high, low) = byte.percentEncoded
        append(percent)
        append(high)
        append(low)
    }
}
