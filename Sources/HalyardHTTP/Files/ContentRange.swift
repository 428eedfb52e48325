/// The value of `Content-Range` for bytes: `bytes 100-199/200` (RFC 9110 section 14.4).
package struct ContentRange: Sendable, Hashable {
    package let first: Int64
    package let last: Int64
    /// The length of the whole body; `nil` for `*`: the server did not state it.
    package let total: Int64?

    /// Reads a value. Returns `nil` for another unit and for a range that is not possible.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let whole = Self.number(parts[1]), last < whole else { return nil }
            total = whole
        }
        (self.first, self.last) = (first, last)
    }

    /// Reads a number of 1 to 18 digits.
    package static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(ASCIISet.digits.contains) else { return nil }
        return Int64(text)
    }
}
