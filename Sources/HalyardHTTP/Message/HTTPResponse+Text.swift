import HalyardFoundation

extension HTTPResponse {
    /// The body as text.
    ///
    /// The charset is taken from a byte order mark, else from the `charset` of Content-Type (UTF-8, US-ASCII,
    /// ISO-8859-1, Windows-1252, UTF-16), else it is UTF-8. Bytes that are not valid in it are decoded as UTF-8, or
    /// else as ISO-8859-1, in which every byte is a character. Decoding never fails.
    public var text: String {
        for (mark, encoding) in Self.byteOrderMarks where data.starts(with: mark) {
            if let text = String(data: data.dropFirst(mark.count), encoding: encoding) { return text }
        }
        let charset = charset
        if charset == "windows-1252" { return windows1252Text }
        if let encoding = charset.flatMap({ Self.charsets[$0] }), let text = String(data: data, encoding: encoding) {
            return text
        }
        return String(data: data, encoding: .utf8) ?? String(data: data, encoding: .isoLatin1) ?? ""
    }

    /// The media type of Content-Type in lower case, without parameters: `application/json`. `nil` without a
    /// Content-Type.
    public var mediaType: String? { headers.mediaType }

    /// Whether the media type is `text/*`.
    package var isText: Bool { mediaType?.hasPrefix("text/") ?? false }

    private var charset: String? {
        headers[.contentType].flatMap { FieldParameters($0)["charset"]?.lowercased() }
    }

    /// The body as Windows-1252 (https://encoding.spec.whatwg.org/#windows-1252), which FoundationEssentials does not
    /// support.
    private var windows1252Text: String {
        var text = String.UnicodeScalarView()
        for byte in data {
            text.append((0x80..<0xA0).contains(byte) ? Self.windows1252[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(text)
    }

    private static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static let byteOrderMarks: [([UInt8], String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
    ]

    private static let charsets: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "utf-16": .utf16BigEndian, "utf-16be": .utf16BigEndian,
        "utf-16le": .utf16LittleEndian,
    ]
}
