extension Redaction {
    /// Returns a `Location` without a password, even if it is not a valid URL.
    func reference(_ text: String) -> String {
        let shown = self.text(text)
        guard let place = RedactedAddress.doubtfulHost(in: shown, isWhole: true) else { return shown }
        return Self.mark + "@" + String(shown[place...])
    }

    /// Returns a URL with the secrets in its query and fragment masked. When its host is in doubt, the query is
    /// removed.
    package func url(_ url: String) -> String {
        let address = RedactedAddress.of(url)
        guard url.utf8.starts(with: address.utf8) else { return address }
        let rest = Substring(url.utf8.dropFirst(address.utf8.count))
        return address + pairs(rest, until: "&#")
    }

    /// Returns the pairs of a form with secrets masked.
    package func form(_ text: String) -> String { pairs(text[...], until: "&") }

    /// Masks secrets in pairs whose names and values may be percent-encoded.
    private func pairs(_ text: Substring, until marks: String) -> String {
        var shown: [UInt8] = []
        for piece in Self.pieces(of: text, until: marks) {
            shown += piece.mark
            guard let secret = isSecret(piece) else {
                shown += piece.text
                continue
            }
            shown += secret.name
            shown += [UInt8(ascii: "=")] + Array(Self.mark.utf8)
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the secrets in a URL's query, encoded and decoded.
    func secrets(inURL url: String) -> [String] {
        let query = Substring(url.utf8.drop { $0 != UInt8(ascii: "?") })
        return Self.pieces(of: query, until: "&#").compactMap(isSecret).flatMap { secret in
            [String(decoding: secret.value, as: UTF8.self), Self.decoded(secret.value)]
        }
    }

    /// Returns a URL without some pairs of its query.
    package static func url(_ url: String, withoutPairs pairs: [String]) -> String {
        if pairs.isEmpty { return url }
        let query = query(url)
        let kept = pieces(of: query, until: "&").filter { !pairs.contains(decoded($0.text)) }
        let texts: [String] = kept.map { String(decoding: $0.text, as: UTF8.self) }
        var start = String(url[..<query.startIndex])
        if texts.isEmpty, start.hasSuffix("?") { start.removeLast() }
        return start + texts.joined(separator: "&") + String(url[query.endIndex...])
    }

    /// Returns the pairs of a URL's query, decoded.
    package static func pairs(ofURL url: String) -> [String] {
        pieces(of: query(url), until: "&").map { decoded($0.text) }
    }

    /// The text between the first `?` and the fragment.
    private static func query(_ url: String) -> Substring {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        guard let mark = url.utf8[..<end].firstIndex(of: UInt8(ascii: "?")) else { return url[end..<end] }
        return url[url.utf8.index(after: mark)..<end]
    }

    private typealias Piece = (mark: ArraySlice<UInt8>, text: ArraySlice<UInt8>)

    /// Splits a text at marks. Each piece has the mark before it. A `?` is a mark only at the start.
    private static func pieces(of text: Substring, until marks: String) -> [Piece] {
        let bytes = Array(text.utf8)
        var pieces: [Piece] = []
        var start = 0
        while true {
            let isMarked = start < bytes.count && (marks.utf8.contains(bytes[start]) || start == 0 && bytes[0] == 0x3F)
            let mark = bytes[start..<(isMarked ? start + 1 : start)]
            let piece = bytes[mark.endIndex...].prefix { !marks.utf8.contains($0) }
            pieces.append((mark, piece))
            start = piece.endIndex
            if start == bytes.count { return pieces }
        }
    }

    /// Returns the name and the value of a pair that holds a secret; `nil` for any other pair.
    private func isSecret(_ piece: Piece) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        let name = piece.text.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < piece.text.endIndex else { return nil }
        let value = piece.text[(name.endIndex + 1)...]
        let isSecret =
            names.containsParameter(Self.decoded(name))
            || [Self.decoded(value), Self.decoded(Array(Self.decoded(value).utf8)[...])].contains(where: holdsSecret)
        return isSecret ? (name, value) : nil
    }

    /// Percent-decodes a text; `+` becomes a space.
    static func decoded(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.percentDecoded(plusIsSpace: true), as: UTF8.self)
    }
}
