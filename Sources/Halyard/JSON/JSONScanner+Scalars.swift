extension JSONScanner {
    /// Reads a string from its opening quote.
    @inline(__always)
    mutating func readString() -> Bool {
        position += 1
        let start = position
        var flags: UInt64 = 0
        while true {
            position = bytes.endOfPlain(from: position, allowing: 0x7F)
            guard position < end else { return fail(.broken("a string has no closing quote"), at: start - 1) }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                flags |= JSONWord.hasEscapes
                guard skipEscape() else { return false }
            } else {
                guard byte >= 0x80 else { return fail(.controlCharacter) }
                guard skipCharacterOutsideASCII() else { return fail(.invalidUTF8) }
                flags |= JSONWord.isNotASCII
            }
        }
        words.append(JSONWord(.string, flags: flags, length: position - start, place: start).bits)
        position += 1
        return true
    }

    /// Skips an escape from its backslash (RFC 8259, section 7). Half of a surrogate pair is invalid.
    private mutating func skipEscape() -> Bool {
        let backslash = position
        guard end - position >= 2 else { return fail(.broken("a string ends within an escape")) }
        position += 2
        switch bytes[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard let unit = readFourDigits(from: backslash) else { return false }
            guard UTF16.isSurrogate(unit) else { return true }
            guard UTF16.isLeadSurrogate(unit), end - position >= 2, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return fail(.loneSurrogate, at: backslash) }
            position += 2
            guard let trail = readFourDigits(from: position - 2) else { return false }
            return UTF16.isTrailSurrogate(trail) || fail(.loneSurrogate, at: backslash)
        default:
            let reason: StaticString = "JSON has no such escape; it has \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
            return fail(.broken(reason), at: backslash)
        }
    }

    private mutating func readFourDigits(from backslash: Int) -> UInt16? {
        guard end - position >= 4, let unit = bytes.fourDigits(at: position) else {
            _ = fail(.broken("\\u needs four hexadecimal digits"), at: backslash)
            return nil
        }
        position += 4
        return unit
    }

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
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < end, bytes[position] == UInt8(ascii: "0") {
            position += 1
            if position < end, bytes[position].isDigit {
                return fail(.broken("a number may not begin with 0 before other digits"))
            }
        } else {
            guard skipDigits() else { return fail(.expected("a digit after a minus sign")) }
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            flags = JSONWord.isFractional
            position += 1
            guard skipDigits() else { return fail(.expected("a digit after a decimal point")) }
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            flags = JSONWord.isFractional
            position += 1
            if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard skipDigits() else { return fail(.expected("a digit after the exponent sign")) }
        }
        words.append(JSONWord(.number, flags: flags, length: position - start, place: start).bits)
        return true
    }

    @inline(__always)
    private mutating func skipDigits() -> Bool {
        let first = position
        while position < end, bytes[position].isDigit { position += 1 }
        return position > first
    }
}

extension JSONBytes {
    /// Returns the position of the next byte that is a quote, a backslash, a control character or above a limit, or the
    /// end. It reads eight bytes at a time. `limit` is the largest byte of plain text: 0x7F for ASCII only, or 0xFF.
    @inline(__always)
    func endOfPlain(from start: Int, allowing limit: UInt8) -> Int {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var position = start
        while count - position >= 8 {
            let eight = eight(at: position)
            let (quote, backslash) = (eight ^ (ones &* 0x22), eight ^ (ones &* 0x5C))
            // `x - 1` borrows in a byte that is 0, and `x - 0x20` in one that is below 0x20. The lowest bit is exact.
            var found = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (eight &- (ones &* 0x20)) & ~eight
            if limit < 0x80 { found |= eight }
            found &= highs
            if found != 0 { return position + found.trailingZeroBitCount >> 3 }
            position += 8
        }
        while position < count {
            let byte = self[position]
            if byte < 0x20 || byte > limit || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            position += 1
        }
        return position
    }

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

extension UInt8 {
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The length of a character outside ASCII that begins with this byte, and the range of its second byte, by the table
    /// of well-formed UTF-8 (Unicode, table 3-7). `nil` if no character begins with it.
    package var utf8Sequence: (length: Int, second: ClosedRange<UInt8>)? {
        switch self {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        default: nil
        }
    }
}
