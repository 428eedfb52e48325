// Text of unknown format: an error's reason, the body of a response, the value of a header field.
extension Redaction {
    /// Masks values that follow the name of a secret, also when both are escaped.
    func mask(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let ranges = Self.decodedTexts(of: bytes).flatMap { text in
            secretRanges(in: text.bytes).map(text.source)
        }
        return ranges.isEmpty ? text : String(decoding: Self.masked(bytes, ranges), as: UTF8.self)
    }

    func holdsSecret(_ text: String) -> Bool { !secretRanges(in: Array(text.utf8)).isEmpty || urls(in: text) != text }

    func urls(in text: String) -> String {
        guard text.utf8.firstRange(of: "://".utf8) != nil else { return text }
        var shown: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let word = rest.prefix { !$0.endsURL }
            shown += url(inWord: String(decoding: word, as: UTF8.self)).utf8
            rest = rest[word.endIndex...]
            if let end = rest.popFirst() { shown.append(end) }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private func url(inWord word: String) -> String { word.utf8.firstRange(of: "://".utf8) == nil ? word : url(word) }

    /// Returns the ranges of values that follow the name of a secret, and of passwords in URLs.
    func secretRanges(in bytes: [UInt8]) -> [Range<Int>] {
        let values = NamedValue.all(in: bytes) { name, mark in
            let name = name.utf8.contains(UInt8(ascii: "%")) ? Self.decoded(Array(name.utf8)[...]) : name
            return mark == .equals ? names.containsParameter(name) : names.contains(name)
        }
        return Self.passwords(in: bytes) + values.map(\.range)
    }

    /// Returns the ranges of passwords in URLs, with or without a scheme.
    private static func passwords(in bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.contains(UInt8(ascii: "@")) else { return [] }
        return ranges(of: Array("//".utf8), in: bytes).compactMap { slashes in
            let authority = bytes[slashes.upperBound...].prefix { !$0.endsURL && !"/?#\\".utf8.contains($0) }
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
                let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
            else { return nil }
            return (colon + 1)..<at
        }
    }
}

extension Redaction {
    /// Returns where bytes occur in others, without overlaps.
    static func ranges(of secret: [UInt8], in bytes: [UInt8]) -> [Range<Int>] {
        guard let first = secret.first, bytes.count >= secret.count else { return [] }
        var ranges: [Range<Int>] = []
        var place = 0
        while place <= bytes.count - secret.count {
            if bytes[place] == first, bytes[place..<(place + secret.count)].elementsEqual(secret) {
                ranges.append(place..<(place + secret.count))
                place += secret.count
            } else {
                place += 1
            }
        }
        return ranges
    }

    /// Returns the text with marks in place of the ranges, which may overlap.
    static func masked(_ bytes: [UInt8], _ ranges: [Range<Int>]) -> [UInt8] {
        var shown: [UInt8] = []
        var start = 0
        for range in ranges.sorted(by: { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }) {
            if range.upperBound <= start { continue }
            if range.lowerBound >= start {
                let mark = isBareMember(bytes[..<range.lowerBound]) ? "\"\(mark)\"" : mark
                shown += bytes[start..<range.lowerBound] + Array(mark.utf8)
            }
            start = range.upperBound
        }
        return shown + bytes[start...]
    }

    /// Whether the text before a value ends with the name of a JSON member, so that the value has no quotes of its own.
    /// The mark then gets some, and the text stays JSON.
    private static func isBareMember(_ before: ArraySlice<UInt8>) -> Bool {
        let mark = before.reversed().drop(while: \.isBlank)
        guard mark.first == UInt8(ascii: ":") else { return false }
        let name = mark.dropFirst().drop(while: \.isBlank)
        return name.first == UInt8(ascii: "\"") && name.dropFirst().first != UInt8(ascii: "\\")
    }
}
