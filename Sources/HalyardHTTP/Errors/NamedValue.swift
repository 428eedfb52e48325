/// A value behind its name in a text whose format need not be known: `name=value`, `name: value`, `"name": "value"` or
/// `<name>value<`. The quotes may be escaped.
struct NamedValue {
    enum Mark { case equals, colon, tag }

    let name: String
    /// The place of the value, without its quotes.
    let range: Range<Int>

    /// Returns the values with a wanted name. What is inside of them is not searched.
    static func all(in bytes: [UInt8], where isWanted: (String, Mark) -> Bool) -> [NamedValue] {
        var (reader, found) = (Reader(bytes), [NamedValue]())
        while let word = reader.name() {
            guard let mark = reader.mark() else { continue }
            let name = String(decoding: word, as: UTF8.self)
            guard isWanted(name, mark) else { continue }
            let isLine = mark == .colon && lines.contains { name.lowercased().hasSuffix($0) }
            let range = isLine ? reader.line() : reader.value(behind: mark)
            if !range.isEmpty { found.append(NamedValue(name: name, range: range)) }
        }
        return found
    }

    /// Header fields whose values hold spaces.
    private static let lines = ["authorization", "cookie"]
}

/// Reads names and the values that may follow them.
private struct Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func name() -> ArraySlice<UInt8>? {
        _ = range { !$0.isPartOfName }
        let name = bytes[range(\.isPartOfName)]
        return name.isEmpty ? nil : name
    }

    /// Reads the mark between a name and a value. The reader stays in place when there is none.
    mutating func mark() -> NamedValue.Mark? {
        let start = place
        _ = range { $0.isQuote || $0 == UInt8(ascii: "\\") }
        _ = range(\.isBlank)
        let mark: NamedValue.Mark? =
            switch byte {
            case UInt8(ascii: "="): .equals
            case UInt8(ascii: ":"): .colon
            case UInt8(ascii: ">"): .tag
            default: nil
            }
        place = mark == nil ? start : place + 1
        return mark
    }

    mutating func line() -> Range<Int> {
        _ = range(\.isBlank)
        return range { $0 != 0x0A && $0 != 0x0D }
    }

    mutating func value(behind mark: NamedValue.Mark) -> Range<Int> {
        if mark == .tag { return range { $0 != UInt8(ascii: "<") } }
        _ = range(\.isBlank)
        _ = range { $0 == UInt8(ascii: "\\") }
        switch byte {
        case let quote? where quote.isQuote:
            place += 1
            var isEscaped = false
            return range { byte in
                defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
                return byte != quote || isEscaped
            }
        case UInt8(ascii: "{"), UInt8(ascii: "["): return nested()
        default:
            let word = range { mark == .equals ? !$0.endsURL && $0 != UInt8(ascii: "&") && $0 != 0x23 : !$0.endsWord }
            // They reveal nothing.
            let isPlain = ["null", "true", "false"].contains { bytes[word].elementsEqual($0.utf8) }
            return isPlain ? word.lowerBound..<word.lowerBound : word
        }
    }

    /// Reads an object or a list of JSON, up to its end.
    private mutating func nested() -> Range<Int> {
        let start = place
        var (depth, isQuoted) = (0, false)
        while let byte {
            place += 1
            switch byte {
            case UInt8(ascii: "\\"): place = min(place + 1, bytes.count)
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isQuoted ? 0 : 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isQuoted ? 0 : 1
            default: break
            }
            if depth == 0 { break }
        }
        return start..<place
    }

    private mutating func range(_ belongs: (UInt8) -> Bool) -> Range<Int> {
        let start = place
        while let byte, belongs(byte) { place += 1 }
        return start..<place
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        ASCIISet.alphanumerics.contains(self) || self >= 0x80 || "-_.[]%$".utf8.contains(self)
    }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    /// Whether no URL contains the byte.
    var endsURL: Bool { self <= 0x20 || "\"<>".utf8.contains(self) }
    fileprivate var endsWord: Bool { endsURL || ",;&}])".utf8.contains(self) }
}
