/// One value or name of a JSON text, in 64 bits: its kind, its flags, its length and its place.
///
/// | value | bits 0 to 3 | bits 4 to 7 | bits 8 to 31 | bits 32 to 63 |
/// |---|---|---|---|---|
/// | string, name, number | kind | flags | length in bytes | position in the text |
/// | array, object | kind | flags | count of elements or members | index of the word after it |
/// | `null`, `true`, `false` | kind | 0 | 0 | position in the text |
///
/// A length or count that does not fit is ``unknown``, and is computed from the text when it is needed. The position of
/// a string is after its quote. The word of an array or object is followed by a second word: see `JSONDocument`.
struct JSONWord {
    enum Kind: UInt64 { case null, yes, no, number, string, array, object }

    /// A number has a fraction or an exponent.
    static let isFractional: UInt64 = 0x10
    /// A string has escapes.
    static let hasEscapes: UInt64 = 0x10
    /// A string has characters outside ASCII.
    static let isNotASCII: UInt64 = 0x20
    /// The names of an object must be compared as strings, because two are the same, one has escapes or characters
    /// outside ASCII, or there are many.
    static let needsIndex: UInt64 = 0x10
    /// A name of an object has a capital letter.
    static let hasCapital: UInt64 = 0x20

    /// The largest value of a length or count. It means that the actual one is at least this large.
    static let unknown = 0xFF_FFFF

    /// The index of the container around the outermost value, which has none.
    static let noParent = Int(UInt32.max)

    let bits: UInt64

    @inline(__always)
    init(_ bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ kind: Kind, flags: UInt64 = 0, length: Int = 0, place: Int) {
        bits = kind.rawValue | flags | UInt64(min(length, Self.unknown)) << 8 | UInt64(place) << 32
    }

    @inline(__always)
    var kind: UInt64 { bits & 0xF }

    @inline(__always)
    func isKind(_ kind: Kind) -> Bool { bits & 0xF == kind.rawValue }

    @inline(__always)
    func has(_ flag: UInt64) -> Bool { bits & flag != 0 }

    @inline(__always)
    var length: Int { Int(bits >> 8 & 0xFF_FFFF) }

    @inline(__always)
    var place: Int { Int(bits >> 32) }

    /// Whether this is a container, which has two words.
    @inline(__always)
    var isContainer: Bool { bits & 0xF >= Kind.array.rawValue }

    /// The kind in words, as in the errors of Foundation's `JSONDecoder`.
    var kindName: String {
        switch Kind(rawValue: kind) {
        case .null: "null"
        case .yes, .no: "bool"
        case .number: "number"
        case .string: "a string"
        case .array: "an array"
        case .object, nil: "a dictionary"
        }
    }
}
