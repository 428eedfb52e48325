import HalyardFoundation
import HalyardHTTP

/// Finds the end of one JSON value in bytes that arrive in chunks. It has no side effects.
///
/// It checks that brackets match and that strings end. A decoder checks the rest of a value that is read.
struct JSONValueSkipper {
    /// Whether the value is a number or a word, which ends before the next byte that cannot be a part of it.
    private let isScalar: Bool
    /// The closing brackets that are still to come.
    private var closing: [UInt8] = []
    private var isInString = false
    private var isEscaped = false

    /// The maximum number of nested arrays and objects.
    static let depthLimit = 511

    /// Begins a value. Its first byte is the next one to be read.
    init(_ first: UInt8) { isScalar = !"\"{[".utf8.contains(first) }

    enum Result: Equatable {
        /// The value ends before this offset.
        case end(Int)
        case incomplete
        /// A bracket that does not match, at this offset.
        case unbalanced(Int)
        /// More nested levels than the limit.
        case tooDeep
    }

    /// Reads more bytes of the value.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result {
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if closing.isEmpty { return .end(place + 1) }
                }
                place += 1
                continue
            }
            switch byte {
            case _ where isScalar: if ASCIISet.endOfScalar.contains(byte) { return .end(place) }
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard closing.count < Self.depthLimit else { return .tooDeep }
                closing.append(byte + 2)  // `{` and `}`, `[` and `]` are two apart
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard closing.popLast() == byte else { return .unbalanced(place) }
                if closing.isEmpty { return .end(place + 1) }
            default: break
            }
            place += 1
        }
        return .incomplete
    }
}

extension ASCIISet {
    /// The bytes that cannot be part of a number or a word.
    fileprivate static let endOfScalar = ASCIISet(",]}[{:\" \t\r\n")
}
