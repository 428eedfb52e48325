import HalyardFoundation

extension HTTPResponse {
    /// A name for a file with the body, from `Content-Disposition` (RFC 6266; `filename*` before `filename`), or else
    /// the last component of the URL; `nil` when neither gives a name.
    ///
    /// The name is safe to use in a folder. Everything up to the last slash or backslash is removed, and so are control
    /// characters, characters that change the direction of text, and leading dots. A long name is cut to 200 bytes
    /// between two characters; its extension is kept.
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
