#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// The start of a body in which a server says what is wrong, without secrets: of text, JSON, and HTML without its
    /// tags. `nil` for any other, and for one that says nothing.
    func excerpt(_ redaction: Redaction) -> String? {
        let type = mediaType ?? ""
        let (isHTML, isJSON) = (isHTML, type.hasSuffix("/json") || type.hasSuffix("+json"))
        guard isText || isJSON, !data.isEmpty else { return nil }
        // Before it is cut short, for half of a secret is not found.
        let shown = redaction.text(text)
        let words = (isHTML ? shown.withoutTags : shown).start(isHTML ? 100 : isJSON ? 200 : 300)
        return words.isEmpty ? nil : words
    }
}

extension HTTPResponse {
    /// Whether its body is a page for browsers.
    var isHTML: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }
}

extension String {
    /// Every stretch of blanks and line breaks as one blank.
    var inOneBlank: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The first characters in one line, every stretch of blanks one blank, and a mark where there is more.
    fileprivate func start(_ limit: Int) -> String {
        let words = inOneLine(unicodeScalars.count).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let start = words.unicodeScalars.prefix(limit)
        return start.endIndex == words.unicodeScalars.endIndex ? words : String(start) + "…"
    }

    /// HTML without tags, comments, scripts and styles, for a person to read. No browser's reading of it.
    var withoutTags: String {
        var (plain, rest) = ([UInt8](), Array(utf8)[...])
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            plain += rest[..<open] + [UInt8(ascii: " ")]
            rest = rest[open...]
            for (start, end) in [("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>")] {
                guard rest.prefix(start.utf8.count).isSame(as: start) else { continue }
                rest = rest.from(end)
            }
            rest = rest.from(">").dropFirst()
        }
        return String(decoding: plain + rest, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// Whether these are the bytes of a text, whatever the case of its letters.
    fileprivate func isSame(as text: String) -> Bool {
        elementsEqual(text.utf8) { $0 == $1 || $0 | 0x20 == $1 && ASCIISet.alphanumerics.contains($0) }
    }

    /// What begins with the last byte of a text, where that stands; nothing where it does not.
    fileprivate func from(_ text: String) -> Self {
        let length = text.utf8.count
        guard let start = indices.first(where: { self[$0...].prefix(length).isSame(as: text) }) else { return [] }
        return self[(start + length - 1)...]
    }
}
