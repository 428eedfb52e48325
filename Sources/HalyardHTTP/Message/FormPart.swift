package import HalyardFoundation

/// A part of a multipart form in memory (RFC 7578).
package struct FormPart {
    package let name: String
    /// The value of its `Content-Type`.
    package let type: String?
    package let content: ArraySlice<UInt8>

    /// Returns the parts of a body. The last one may lack its end: the rest of it is in a file.
    package static func all(in bytes: [UInt8], boundary: String) -> [FormPart] {
        let pieces = bytes.split(separator: Array("--\(boundary)".utf8), omittingEmptySubsequences: false)
        return pieces.indices.compactMap { FormPart(pieces[$0], isLast: $0 == pieces.count - 1) }
    }

    private init?(_ bytes: ArraySlice<UInt8>, isLast: Bool) {
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
        name = head.firstRange(of: "name=\"").map { String(head[$0.upperBound...].prefix { $0 != "\"" }) } ?? ""
        type = head.firstRange(of: "Content-Type: ").map { String(head[$0.upperBound...].prefix { !$0.isNewline }) }
        content = bytes[blank.upperBound...].dropLast(isLast ? 0 : 2)
    }
}

extension HTTPBody {
    /// The segments in memory that are not empty, before their compression.
    package var bytesInMemory: [Data] {
        uncompressed.segments.compactMap { if case .bytes(let data) = $0, !data.isEmpty { data } else { nil } }
    }
}

extension HTTPHeaders {
    /// The text between the parts of a multipart body.
    package var boundary: String? {
        guard let type = self[.contentType], type.mediaType.hasPrefix("multipart/"),
            let value = FieldParameters(type)["boundary"], !value.isEmpty
        else { return nil }
        return value
    }
}
