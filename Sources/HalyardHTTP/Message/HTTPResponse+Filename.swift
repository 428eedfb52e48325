import HalyardFoundation

extension HTTPResponse {
    /// A name for a file with the body, from `Content-Disposition` (RFC 6266; `filename*` before `filename`), or else
    /// the last component of the URL; `nil` when neither gives a name.
    ///
    /// The name is safe to use in a folder. Everything up to the last slash or backslash is removed, and so are control
    /// characters, characters that change the direction of text, and leading dots. A long name is cut to 200 bytes; its
    /// extension is kept.
    public var suggestedFilename: String? {
        let field = headers["Content-Disposition"].flatMap { Disposition($0).filename }
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

/// A parsed `Content-Disposition` (RFC 6266). It accepts any text.
struct Disposition {
    private var parameters: [String: String] = [:]

    /// The file name; `nil` when there is none.
    var filename: String? {
        parameters["filename*"].flatMap(String.init(extendedValue:))
            ?? parameters["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }

    init(_ field: String) {
        var rest = field.utf8[...]
        _ = rest.skip { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {
            _ = rest.skip(while: \.isBlank)
            let name = rest.skip { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            let value = Self.value(&rest)
            let key = Substring(name.trimmingBlanks).lowercased()
            if parameters[key] == nil { parameters[key] = value }
            _ = rest.skip { $0 != UInt8(ascii: ";") }
        }
    }

    private static func value(_ rest: inout Substring.UTF8View) -> String {
        _ = rest.skip(while: \.isBlank)
        if let text = rest.popQuotedString() { return text }
        return String(Substring(rest.skip { $0 != UInt8(ascii: ";") }.trimmingBlanks))
    }
}

extension String {
    /// Decodes `charset'language'percent-encoded` (RFC 8187) for UTF-8 and ISO-8859-1. `nil` for another character set,
    /// and for bytes that are not valid in it.
    package init?(extendedValue text: String) {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = parts[2].utf8.percentDecoded()
        switch parts[0].lowercased() {
        case "utf-8": self.init(bytes: bytes, encoding: .utf8)
        case "iso-8859-1": self.init(bytes: bytes, encoding: .isoLatin1)
        default: return nil
        }
    }
}

extension Substring.UTF8View {
    /// Removes and returns the bytes at the start that fit.
    fileprivate mutating func skip(while fits: (UInt8) -> Bool) -> Substring.UTF8View {
        let taken = prefix(while: fits)
        self = self[taken.endIndex...]
        return taken
    }
}
