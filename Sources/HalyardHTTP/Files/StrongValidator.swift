/// A strong validator: identifies one version of a body byte for byte. It can be used in `If-Range` (RFC 9110 sections
/// 8.8.1 and 13.1.5).
package struct StrongValidator: Sendable, Hashable {
    /// The text as the server sent it. It is sent back and compared unchanged.
    package let text: String

    /// Takes the strong entity tag, or the date of a body that has no tag and was last changed at least a second before
    /// it was sent.
    package init?(of headers: HTTPHeaders) {
        let tags = headers.values(for: "ETag")
        // A date must not replace a weak tag.
        if !tags.isEmpty {
            guard tags.count == 1, Self.isTag(tags[0]) else { return nil }
            text = tags[0]
        } else {
            let (dates, sent) = (headers.values(for: "Last-Modified"), headers.values(for: "Date"))
            guard dates.count == 1, sent.count == 1, let modified = HTTPDate.seconds(dates[0]),
                let answered = HTTPDate.seconds(sent[0]), answered - modified >= 1  // section 8.8.2.2
            else { return nil }
            text = dates[0]
        }
    }

    /// Reads a text that was stored; `nil` when it is not a validator.
    package init?(stored text: String) {
        guard Self.isTag(text) || HTTPDate.seconds(text) != nil && text.utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        self.text = text
    }

    /// Whether the body of a 206 may belong to this version: its own validator is this one, or it has none.
    package func agrees(with headers: HTTPHeaders) -> Bool {
        let own = headers.values(for: Self.isTag(text) ? "ETag" : "Last-Modified")
        return own.isEmpty || own == [text]
    }

    /// Whether the text is a strong tag in ASCII. Other characters might not be sent back unchanged.
    private static func isTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
