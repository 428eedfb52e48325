/// A random number generator with a seed (SplitMix64), and the hostile strings that it generates.
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func oneIn(_ count: Int) -> Bool { number(0..<count) == 0 }

    private static let hostile = [
        "\r\n", "\n", "\r", "\0", "\"", "'", "%", "%0D%0A", "%2F", "&", "=", "+", "#", ";", "?", "/", "\\", ":", "@",
        "..", ".", "//", "[", "]", "<", ">", "{", "}", "|", "^", "`", "~", " ", "\t", ",", "\u{7F}", "\u{85}", "\u{A0}",
        "\u{FEFF}", "\u{2028}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "é", "e\u{301}", "漢", "😀", "--Boundary-",
        "Content-Length: 0\r\n\r\n", "HTTP/1.1 200 OK", "\u{1B}", "a", "Z", "0", "name", "$", "(", ")", "*", "!", "_",
        "-",
    ]

    /// Returns text of pieces with a meaning in some format, and of random characters.
    mutating func text(_ length: Range<Int> = 0..<12) -> String {
        var text = ""
        for _ in 0..<number(length) {
            if oneIn(4), let scalar = Unicode.Scalar(UInt32(number(0..<0x11_0000))) {
                text.unicodeScalars.append(scalar)
            } else {
                text += Self.hostile[number(0..<Self.hostile.count)]
            }
        }
        return text
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
