import HalyardFoundation

extension HTTPResponse {
    /// A name for a file with the body, from `Content-Disposition` (RFC 6266; `filename*` before `filename`), or else
    /// the last component of the URL; `nil` when neither gives a name.
    ///
    /// The name is safe to use in a folder. Everything up to the last slash or backslash is removed, and so are control
    /// characters, characters that change the direction of text, and leading dots. A long name is cut to 200 bytes; its
    /// extension is kept.
    public var suggestedFilename: String? {
        let field = headers["Content-Disposition"].flatMap { FieldParameters($0).filename }
        return field.flatMap(Self.safeName) ?? Self.safeName(url.lastPathComponent)
    }

    /// Returns the part of a name that is safe to use; `nil` when nothing is left.
    package static func safeName(_ name: String) -> String? {
        let last = name.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        let kept = last.unicodeScalars.filter { scalar in
            let category = scalar.properties.generalCategory
            return ![.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
                && !"\"*:<>?|".unicodeScalars.contains(scalar)
        }
        let trimmed = String(String.UnicodeScalarView(kept)).drop { $0 == "." || $0.isWhitespace }
        var text = String(trimmed)
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        guard text.utf8.count > 200 else { return text.isEmpty ? nil : text }
        let dot = text.lastIndex(of: ".") ?? text.endIndex
        let ending = text[dot...].utf8.count <= 20 ? text[dot...] : ""
        var stem = text[..<dot]
        while stem.utf8.count + ending.utf8.count > 200 { stem.removeLast() }
        return String(stem + ending)
    }
}

extension FieldParameters {
    /// The file name of a `Content-Disposition`. `nil` if there is none.
    fileprivate var filename: String? {
        self["filename*"].flatMap(String.init(extendedValue:)) ?? self["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
