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

    /// Returns the values that follow the name of a secret, escaped and decoded.
    func secrets(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return secretRanges(in: bytes).flatMap { range in
            Self.decodedTexts(of: Array(bytes[range])).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }

    /// Whether a text holds a secret.
    func holdsSecret(_ text: String) -> Bool { !secretRanges(in: Array(text.utf8)).isEmpty || urls(in: text) != text }

    /// Returns the text with its URLs redacted.
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

    /// Returns the ranges of values that follow the name of a secret: `name=value`, `"name": "value"`, `name: value`,
    /// `<name>value<`, and values of pairs that name it, such as `name="password" value="..."`.
    private func secretRanges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges = Self.passwords(in: bytes)
        var reader = PairReader(bytes)
        var record = Record()
        var end = 0
        while let name = reader.nextName() {
            if bytes[end..<name.startIndex].contains(where: "<>{}".utf8.contains) { record = Record() }
            end = name.endIndex
            guard let mark = reader.separator() else { continue }
            if mark == .tag { record = Record() }
            let word = String(decoding: name, as: UTF8.self)
            guard isSecret(word, mark) else {
                ranges += record.add(word, mark, reader) { isSecret($0, mark) || names.containsField($0) }
                continue
            }
            let isLine = mark == .colon && Self.lines.contains { word.lowercased().hasSuffix($0) }
            let value = isLine ? reader.line() : reader.value(behind: mark)
            end = value.upperBound
            if !value.isEmpty { ranges.append(value) }
        }
        return ranges
    }

    private func isSecret(_ word: String, _ mark: PairReader.Separator) -> Bool {
        let word = word.utf8.contains(UInt8(ascii: "%")) ? Self.decoded(Array(word.utf8)[...]) : word
        return mark == .equals ? names.containsParameter(word) : names.contains(word)
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

    /// Fields whose values hold spaces.
    private static let lines = ["authorization", "cookie"]

    /// Members and attributes that name a value, and those that hold it.
    package static let (nameKeys, valueKeys) = (["name", "id", "key", "field", "header"], ["value", "content"])
}

/// The pairs of one tag or object. One of them may give the name and another the value.
private struct Record {
    private var isSecret = false
    private var value: Range<Int>?

    /// Adds a pair. Returns the ranges of secrets that it reveals.
    mutating func add(
        _ name: String, _ mark: PairReader.Separator, _ reader: PairReader, _ isSecretName: (String) -> Bool
    ) -> [Range<Int>] {
        var reader = reader
        if mark != .tag, Redaction.nameKeys.contains(name.lowercased()) {
            let range = reader.value(behind: mark)
            guard isSecretName(String(decoding: reader.bytes[range], as: UTF8.self)) else { return [] }
            isSecret = true
            return [value, reader.partContent()].compactMap(\.self)
        }
        guard mark != .tag, Redaction.valueKeys.contains(name.lowercased()) else { return [] }
        let range = reader.value(behind: mark)
        if !isSecret { value = range }
        return isSecret && !range.isEmpty ? [range] : []
    }
}

/// Reads names and the values that may follow them.
private struct PairReader {
    enum Separator { case equals, colon, tag }

    let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let byte, isSkipped(byte) { place += 1 }
    }

    mutating func nextName() -> ArraySlice<UInt8>? {
        skip { !$0.isPartOfName }
        let start = place
        skip(\.isPartOfName)
        return start == place ? nil : bytes[start..<place]
    }

    /// Reads the separator between a name and a value. The reader stays in place when there is none.
    mutating func separator() -> Separator? {
        let start = place
        skip { $0.isQuote || $0 == UInt8(ascii: "\\") }
        skip(\.isBlank)
        let found: Separator? =
            switch byte {
            case UInt8(ascii: "="): .equals
            case UInt8(ascii: ":"): .colon
            case UInt8(ascii: ">"): .tag
            default: nil
            }
        place = found == nil ? start : place + 1
        return found
    }

    /// Returns the content of a multipart part, when the reader is in the field with the part's name.
    mutating func partContent() -> Range<Int>? {
        let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        guard !Redaction.ranges(of: Array("form-data".utf8), in: Array(bytes[start..<place])).isEmpty else {
            return nil
        }
        // Up to the empty line that ends the part's header fields.
        while byte != nil {
            skip { $0 != 0x0A }
            place = min(place + 1, bytes.count)
            if byte == 0x0D { place += 1 }
            if byte == 0x0A {
                let content = (place + 1)..<bytes.count
                let ends = Redaction.ranges(of: Array("\n--".utf8), in: Array(bytes[place...]))
                guard let end = ends.first?.lowerBound else { return content.isEmpty ? nil : content }
                let last = place + end
                let range = (place + 1)..<max(place + 1, bytes[last - 1] == 0x0D ? last - 1 : last)
                return range.isEmpty ? nil : range
            }
        }
        return nil
    }

    mutating func line() -> Range<Int> {
        skip(\.isBlank)
        let start = place
        skip { !$0.isLineBreak }
        return start..<place
    }

    mutating func value(behind mark: Separator) -> Range<Int> {
        if mark == .tag { return range { $0 != UInt8(ascii: "<") } }
        skip(\.isBlank)
        skip { $0 == UInt8(ascii: "\\") }
        guard let quote = byte, quote.isQuote else {
            // A list or an object has quotes and spaces of its own.
            if let byte, [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(byte) { return line() }
            return range { mark == .equals ? !$0.endsURL && $0 != UInt8(ascii: "&") && $0 != 0x23 : !$0.endsWord }
        }
        place += 1
        var isEscaped = false
        return range { byte in
            defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
            return byte != quote || isEscaped
        }
    }

    private mutating func range(_ belongs: (UInt8) -> Bool) -> Range<Int> {
        let start = place
        skip(belongs)
        return start..<place
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        ASCIISet.alphanumerics.contains(self) || self >= 0x80 || "-_.[]%$".utf8.contains(self)
    }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    fileprivate var isLineBreak: Bool { self == 0x0A || self == 0x0D }
    fileprivate var endsURL: Bool { self <= 0x20 || "\"<>".utf8.contains(self) }
    fileprivate var endsWord: Bool { endsURL || ",;&}])".utf8.contains(self) }
}
