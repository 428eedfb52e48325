/// Checks that bytes are UTF-8 (RFC 3629), piece by piece. A wrong byte is found as soon as it arrives.
struct UTF8Checker: Sendable {
    /// The number of bytes that the current character still needs.
    private var missing = 0
    /// The range of the next byte of the current character.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes so far end with a complete character.
    var isComplete: Bool { missing == 0 }

    /// Checks further bytes.
    ///
    /// - Returns: `false` if they cannot be a part of UTF-8.
    mutating func check(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { index += 8 }
                guard index < bytes.count else { return true }
            }
            guard check(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func check(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard next.contains(byte) else { return false }
            missing -= 1
            next = 0x80...0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: (missing, next) = (1, 0x80...0xBF)
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)  // no overlong form
        case 0xED: (missing, next) = (2, 0x80...0x9F)  // no surrogates
        case 0xE1...0xEF: (missing, next) = (2, 0x80...0xBF)
        case 0xF0: (missing, next) = (3, 0x90...0xBF)  // no overlong form
        case 0xF1...0xF3: (missing, next) = (3, 0x80...0xBF)
        case 0xF4: (missing, next) = (3, 0x80...0x8F)  // up to U+10FFFF
        default: return false
        }
        return true
    }
}
