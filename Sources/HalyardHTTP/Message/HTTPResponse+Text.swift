import HalyardFoundation

extension HTTPResponse {
    /// The body as text.
    ///
    /// The charset comes from a byte order mark, or else from the `charset` of Content-Type, or else is UTF-8. It is
    /// decoded as browsers do (https://encoding.spec.whatwg.org): `iso-8859-1` is Windows-1252, and `utf-16` is
    /// little-endian. Invalid bytes become U+FFFD. If the charset is unknown, so does everything except ASCII; see
    /// ``unknownCharset``.
    public var text: String {
        for (mark, charset) in Self.byteOrderMarks where data.starts(with: mark) {
            return charset.text(data.dropFirst(mark.count))
        }
        return declaredCharset?.text(data) ?? Charset.ascii(data)
    }

    /// The `charset` of Content-Type if neither the Encoding standard nor the system knows it, so that ``text``
    /// contains only the body's ASCII characters. Otherwise `nil`.
    ///
    /// On Linux, the C library provides the charsets. Some distributions ship most of them in a separate package, such
    /// as `glibc-gconv-extra`.
    public var unknownCharset: String? {
        guard declaredCharset == nil, !Self.byteOrderMarks.contains(where: { data.starts(with: $0.0) }) else {
            return nil
        }
        return charsetLabel
    }

    /// The media type of Content-Type in lowercase, without parameters: `application/json`. `nil` if the response has
    /// no Content-Type.
    public var mediaType: String? { headers.mediaType }

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

extension HTTPResponse {
    /// A name for a file that stores the body, from `Content-Disposition` (RFC 6266; `filename*` before `filename`), or
    /// else from the last component of the URL; `nil` if neither provides a name.
    ///
    /// The name is safe to use in a directory. Everything up to the last slash or backslash is removed, and so are
    /// control characters, characters that change the direction of text, and leading dots. A long name is cut to 200
    /// bytes between two characters; its extension is kept.
    public var suggestedFilename: String? {
        let field = headers["Content-Disposition"].flatMap { FieldParameters($0).filename }
        return field.flatMap(Self.safeName) ?? Self.safeName(url.lastPathComponent)
    }

    /// Returns the part of a name that is safe to use; `nil` when nothing is left.
    ///
    /// It reads scalars: with an accent after it, a slash or a dot is another `Character`, and the same byte.
    package static func safeName(_ name: String) -> String? {
        let separators: Set<Unicode.Scalar> = ["/", "\\"]
        let last = name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: separators.contains).last
        var kept = String.UnicodeScalarView()
        for scalar in last ?? "".unicodeScalars[...] where scalar.mayBeInName(after: kept.last) { kept.append(scalar) }
        var text = String(String.UnicodeScalarView(kept.drop { !$0.mayBeginName }))
        while let last = text.last {
            if last.unicodeScalars.first?.isDotOrBlank ?? false {
                text.removeLast()
            } else if text.unicodeScalars.last?.isJoiner ?? false {
                text.unicodeScalars.removeLast()
            } else {
                break
            }
        }
        guard !text.isEmpty, text.utf8.count > 200 else { return text.isEmpty ? nil : text }
        let dot = text.lastIndex(of: ".") ?? text.endIndex
        let ending = text[dot...].utf8.count <= 20 ? text[dot...] : ""
        return String(text[..<dot]).start(200 - ending.utf8.count) { UTF8.width($0) } + ending
    }
}

extension Unicode.Scalar {
    fileprivate var isDotOrBlank: Bool { self == "." || properties.isWhitespace }

    /// Whether it joins what is around it, as in emoji and in Persian words, or keeps it apart.
    fileprivate var isJoiner: Bool { self == "\u{200D}" || self == "\u{200C}" }

    private var isFormat: Bool { properties.generalCategory == .format }

    /// Whether a name that begins with it is neither hidden nor invisible.
    fileprivate var mayBeginName: Bool {
        ![.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory) && !isDotOrBlank
            && !isFormat
    }

    /// Whether a name may have it after another scalar. The flags of regions have letters that are else invisible.
    fileprivate func mayBeInName(after last: Unicode.Scalar?) -> Bool {
        if "\"*:<>?|".unicodeScalars.contains(self) { return false }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        case .format:
            let isFlag = ("\u{E0020}"..."\u{E007F}").contains(self) && (last == "\u{1F3F4}" || last?.isFormat == true)
            return isFlag || isJoiner && last?.isFormat == false
        default: return true
        }
    }
}

extension FieldParameters {
    /// The file name of a `Content-Disposition`. `nil` if there is none.
    fileprivate var filename: String? {
        self["filename*"].flatMap(String.init(extendedValue:)) ?? self["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
