import HalyardFoundation

extension HTTPResponse {
    /// The body as text.
    ///
    /// The charset is that of a byte order mark, or else the `charset` of Content-Type, or else UTF-8. It is read as
    /// browsers read it (https://encoding.spec.whatwg.org): `iso-8859-1` is Windows-1252, and `utf-16` is little-endian.
    /// Bytes that are invalid in it become U+FFFD. Of a charset that is not known, so does everything but ASCII; see
    /// ``unknownCharset``.
    public var text: String {
        for (mark, charset) in Self.byteOrderMarks where data.starts(with: mark) {
            return charset.text(data.dropFirst(mark.count))
        }
        return declaredCharset?.text(data) ?? Charset.ascii(data)
    }

    /// The `charset` of Content-Type, if neither the Encoding standard nor the system knows it, so that ``text`` has only
    /// the body's ASCII. `nil` otherwise.
    ///
    /// On Linux the C library knows charsets. Some distributions have most of them in a package of their own, such as
    /// `glibc-gconv-extra`.
    public var unknownCharset: String? {
        guard declaredCharset == nil, !Self.byteOrderMarks.contains(where: { data.starts(with: $0.0) }) else {
            return nil
        }
        return charsetLabel
    }

    /// The media type of Content-Type in lower case, without parameters: `application/json`. `nil` without a
    /// Content-Type.
    public var mediaType: String? { headers.mediaType }

    /// Whether the media type is `text/*`.
    package var isText: Bool { mediaType?.hasPrefix("text/") ?? false }

    /// The charset of Content-Type, which defaults to UTF-8. `nil` if it is not known.
    package var declaredCharset: Charset? { charsetLabel.map { Charset(label: $0) } ?? .utf8 }

    /// Removes the beginning of a character from the end of a body that was cut.
    package mutating func removeCutCharacter() {
        var shorter = self
        for _ in 0..<4 {
            if shorter.text.unicodeScalars.last != "\u{FFFD}" { return data = shorter.data }
            shorter.data = shorter.data.dropLast()
        }
    }

    private var charsetLabel: String? {
        let label = headers[.contentType].flatMap { FieldParameters($0)["charset"] } ?? ""
        let trimmed = String(Substring(label.utf8.trimmingBlanks))
        return trimmed.isEmpty ? nil : trimmed
    }

    private static let byteOrderMarks: [([UInt8], Charset)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
    ]
}
