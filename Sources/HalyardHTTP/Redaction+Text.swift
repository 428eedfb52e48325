// A text that is not known to be anything: an error's reason, the body of a refusal, a header's value.
extension Redaction {
    /// The text with the values masked that stand behind a secret's name.
    func mask(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let ranges = secretRanges(in: bytes)
        if ranges.isEmpty { return text }
        var shown: [UInt8] = []
        var start = 0
        for range in ranges {
            shown += bytes[start..<range.lowerBound] + Array(Self.mark.utf8)
            start = range.upperBound
        }
        return String(decoding: shown + bytes[start...], as: UTF8.self)
    }

    /// The values that stand behind a secret's name.
    func secrets(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return secretRanges(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Whether there is anything to hide in a text.
    func holdsSecret(_ text: String) -> Bool { !secretRanges(in: Array(text.utf8)).isEmpty || urls(in: text) != text }

    /// The text with the URLs in it as they may be shown.
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

    /// Where the values stand that follow a secret's name: `name=value`, `"name": "value"`, `name: value` and
    /// `<name>value<`.
    private func secretRanges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var reader = PairReader(bytes)
        while let name = reader.nextName() {
            guard let mark = reader.separator() else { continue }
            let word = String(decoding: name, as: UTF8.self)
            let isSecret = mark == .equals ? names.containsParameter(word) : names.contains(word)
            guard isSecret else { continue }
            let isLine = mark == .colon && Self.lines.contains { word.lowercased().hasSuffix($0) }
            let value = isLine ? reader.line() : reader.value(behind: mark)
            if !value.isEmpty { ranges.append(value) }
        }
        return ranges
    }

    /// Fields whose values hold blanks.
    private static let lines = ["authorization", "cookie"]
}

/// Reads names, and the values that may stand behind them.
private struct PairReader {
    enum Separator { case equals, colon, tag }

    private let bytes: [UInt8]
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

    /// What ties a name to a value; the reader stands behind it, and where it stood when there is none.
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
            // A list or an object has quotes and blanks of its own.
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
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isLineBreak: Bool { self == 0x0A || self == 0x0D }
    fileprivate var endsURL: Bool { self <= 0x20 || "\"<>".utf8.contains(self) }
    fileprivate var endsWord: Bool { endsURL || ",;&}])".utf8.contains(self) }
}
