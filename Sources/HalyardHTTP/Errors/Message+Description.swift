import HalyardFoundation

// Test failures and debuggers print values. No description shows a secret.

extension HTTPRequest: SafelyDescribed {
    /// The method, the URL, the names of the headers and the length of the body. Secrets in the URL are masked.
    public var description: String {
        let length = body.map { ", \($0.length.map { "\($0) bytes" } ?? "a stream")" }
        return "\(method) \(Redaction(secretNames).url(address.text)) \(headers)\(length ?? "")"
    }
}

extension HTTPResponse: SafelyDescribed {
    /// The status, the URL without its query, the names of the headers and the length of the body.
    public var description: String {
        "\(status) \(RedactedAddress.of( address.text)) \(headers), \(data.count) bytes"
    }
}

extension HTTPResponse {
    /// The start of a body that explains an error, without secrets: text, JSON, or HTML and XML without their tags.
    /// `nil` for any other or empty body.
    func excerpt(_ redaction: Redaction) -> String? {
        let type = mediaType ?? ""
        let (isHTML, isJSON) = (isHTML, type.hasSuffix("/json") || type.hasSuffix("+json"))
        let isXML = !isHTML && (type.hasSuffix("/xml") || type.hasSuffix("+xml"))
        guard isText || isJSON || isXML, !data.isEmpty else { return nil }
        // The text is redacted before it is truncated, because a truncated secret is not recognised.
        let shown = redaction.text(text)
        let words = (isHTML || isXML ? shown.withoutTags : shown).excerpt(isHTML ? 100 : isJSON || isXML ? 200 : 300)
        return words.isEmpty ? nil : words
    }
}

extension HTTPResponse {
    /// Whether the body is a page for browsers.
    var isHTML: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }
}

extension String {
    /// The text with a single space for each run of whitespace.
    var collapsingWhitespace: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The first characters in one line, with a single space for each run of whitespace and `…` where more follows.
    fileprivate func excerpt(_ limit: Int) -> String {
        let words = inOneLine(unicodeScalars.count).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let start = words.start(limit)
        return start.utf8.count == words.utf8.count ? words : start + "…"
    }

    /// HTML or XML without tags, comments, scripts and styles, with the text of CDATA sections. This is a simple scan,
    /// not an HTML parser.
    var withoutTags: String {
        var (plain, rest) = ([UInt8](), Array(utf8)[...])
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            plain += rest[..<open] + [UInt8(ascii: " ")]
            rest = rest[open...]
            if rest.prefix(9).isSame(as: "<![CDATA[") {
                let text = rest.dropFirst(9)
                let end = text.firstRange(of: Array("]]>".utf8))?.lowerBound ?? text.endIndex
                plain += text[..<end]
                rest = text[end...].dropFirst(3)
                continue
            }
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
    /// Whether the bytes are those of a text, without regard to the case of ASCII letters.
    fileprivate func isSame(as text: String) -> Bool {
        elementsEqual(text.utf8) { $0 == $1 || $0 | 0x20 == $1 && ASCIISet.alphanumerics.contains($0) }
    }

    /// Returns the slice that begins at the last byte of the first occurrence of a text. Empty if the text does not
    /// occur.
    fileprivate func from(_ text: String) -> Self {
        let length = text.utf8.count
        guard let start = indices.first(where: { self[$0...].prefix(length).isSame(as: text) }) else { return [] }
        return self[(start + length - 1)...]
    }
}
