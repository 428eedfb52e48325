#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// The body as text.
    ///
    /// The charset is what a byte order mark says, else the `charset` of Content-Type (UTF-8, US-ASCII, ISO-8859-1,
    /// Windows-1252, UTF-16), else UTF-8. Bytes that are not valid in it are read as ISO-8859-1, in which every byte
    /// is a character: text is never lost, and never an error.
    public var text: String {
        for (mark, encoding) in Self.byteOrderMarks where data.starts(with: mark) {
            if let text = String(data: data.dropFirst(mark.count), encoding: encoding) { return text }
        }
        if let encoding = charset.flatMap({ Self.charsets[$0] }), let text = String(data: data, encoding: encoding) {
            return text
        }
        return String(data: data, encoding: .utf8) ?? String(data: data, encoding: .isoLatin1) ?? ""
    }

    /// The media type of Content-Type in lower case, without its parameters: `application/json`.
    public var mediaType: String? {
        guard let type = headers[.contentType]?.prefix(while: { $0 != ";" }) else { return nil }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Whether the body is text by its media type: its words may then stand for an error.
    package var isText: Bool { mediaType?.hasPrefix("text/") ?? false }

    private var charset: String? {
        guard let parameters = headers[.contentType]?.split(separator: ";").dropFirst() else { return nil }
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "charset" else { continue }
            return pair[1].filter { $0 != " " && $0 != "\"" }.lowercased()
        }
        return nil
    }

    private static let byteOrderMarks: [([UInt8], String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
    ]

    private static let charsets: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "windows-1252": .windowsCP1252, "utf-16": .utf16BigEndian, "utf-16be": .utf16BigEndian,
        "utf-16le": .utf16LittleEndian,
    ]
}
