/// What tells two versions of a body apart, byte for byte: what `If-Range` may hold (RFC 9110 sections 8.8.1 and 13.1.5).
package struct StrongValidator: Sendable, Hashable {
    /// As the server wrote it, and as it is sent back: it is compared letter by letter.
    package let text: String

    /// The strong entity tag, or the date of a body that has no tag and was not written in the second it was sent.
    package init?(of headers: HTTPHeaders) {
        let tags = headers.values(for: "ETag")
        // A date may not stand in for a tag that is weak.
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

    /// One that was kept; nil for what could be none.
    package init?(kept text: String) {
        guard Self.isTag(text) || HTTPDate.seconds(text) != nil && text.utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        self.text = text
    }

    /// Whether a part of a body may be of the same version: what it says of itself is this, or nothing.
    package func agrees(with headers: HTTPHeaders) -> Bool {
        let own = headers.values(for: Self.isTag(text) ? "ETag" : "Last-Modified")
        return own.isEmpty || own == [text]
    }

    /// A strong tag of ASCII alone: others would not be sent as the bytes that came.
    private static func isTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
