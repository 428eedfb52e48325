extension JSONScanner {
    /// Reads a string from its opening quote.
    @inline(__always)
    mutating func readString() -> Bool {
        position += 1
        let start = position
        var flags: UInt64 = 0
        while true {
            skipPlainCharacters()
            guard position < end else { return false }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                flags |= JSONWord.hasEscapes
                guard skipEscape() else { return false }
            } else {
                guard byte >= 0x80, skipCharacterOutsideASCII() else { return false }
                flags |= JSONWord.isNotASCII
            }
        }
        words.append(JSONWord(.string, flags: flags, length: position - start, place: start).bits)
        position += 1
        return true
    }

    /// Skips ASCII characters that need no escape, eight at a time.
    @inline(__always)
    private mutating func skipPlainCharacters() {
        while end - position >= 8 {
            let found = special(in: bytes.eight(at: position))
            if found != 0 {
                position += found.trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
        while position < end {
            let byte = bytes[position]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            position += 1
        }
    }

    /// Returns a word whose lowest set bit is in the first of eight bytes that is a quote, a backslash, a control
    /// character or outside ASCII. 0 if there is none.
    @inline(__always)
    private func special(in eight: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quote = eight ^ (ones &* 0x22)
        let backslash = eight ^ (ones &* 0x5C)
        // `x - 1` borrows in a byte that is 0, and `x - 0x20` in one that is below 0x20.
        let found = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (eight &- (ones &* 0x20)) & ~eight
        return (found | eight) & highs
    }

    /// Skips an escape from its backslash (RFC 8259, section 7). Half of a surrogate pair is invalid.
    private mutating func skipEscape() -> Bool {
        guard end - position >= 2 else { return false }
        position += 2
        switch bytes[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard let unit = readFourDigits() else { return false }
            guard UTF16.isSurrogate(unit) else { return true }
            guard UTF16.isLeadSurrogate(unit), end - position >= 2, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return false }
            position += 2
            guard let trail = readFourDigits() else { return false }
            return UTF16.isTrailSurrogate(trail)
        default:
            return false
        }
    }

    private mutating func readFourDigits() -> UInt16? {
        guard end - position >= 4, let unit = bytes.fourDigits(at: position) else { return nil }
        position += 4
        return unit
    }

    /// Skips one character outside ASCII.
    private mutating func skipCharacterOutsideASCII() -> Bool {
        guard let (length, second) = bytes[position].utf8Sequence, end - position >= length,
            second.contains(bytes[position + 1])
        else { return false }
        for offset in 2..<length where bytes[position + offset] & 0xC0 != 0x80 { return false }
        position += length
        return true
    }

    /// Reads a number by RFC 8259, section 6.
    @inline(__always)
    mutating func readNumber() -> Bool {
        let start = position
        var flags: UInt64 = 0
        if bytes[position] == UInt8(ascii: "-") {
            position += 1
            guard position < end else { return false }
        }
        if bytes[position] == UInt8(ascii: "0") {
            position += 1
            if position < end, bytes[position].isDigit { return false }
        } else {
            guard skipDigits() else { return false }
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            flags = JSONWord.isFractional
            position += 1
            guard skipDigits() else { return false }
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            flags = JSONWord.isFractional
            position += 1
            if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard skipDigits() else { return false }
        }
        words.append(JSONWord(.number, flags: flags, length: position - start, place: start).bits)
        return true
    }

    /// Skips at least one digit.
    @inline(__always)
    private mutating func skipDigits() -> Bool {
        let first = position
        while position < end, bytes[position].isDigit { position += 1 }
        return position > first
    }
}

extension JSONBytes {
    /// Returns the value of four hexadecimal digits. `nil` if one of them is none.
    func fourDigits(at position: Int) -> UInt16? {
        var value: UInt16 = 0
        for offset in 0..<4 {
            let byte = self[position + offset]
            if byte.isDigit {
                value = value << 4 | UInt16(byte - UInt8(ascii: "0"))
            } else {
                guard (0x61...0x66).contains(byte | 0x20) else { return nil }
                value = value << 4 | UInt16((byte | 0x20) - UInt8(ascii: "a") + 10)
            }
        }
        return value
    }
}
