extension JSONReader {
    /// Reads a string from its opening quote. A string without escapes is made in one step.
    mutating func readString() throws(JSON.ParseError) -> String {
        let quote = position
        position += 1
        var run = position
        unescaped.removeAll(keepingCapacity: true)
        while true {
            skipPlainCharacters()
            guard let byte = next else { throw failure("a string has no closing quote", at: quote) }
            switch byte {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return finishString(run..<position)
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: bytes[run..<position])
                try readEscape()
                run = position
            case 0x80...:
                try skipMultibyteCharacter()
            default:
                throw failure("\(describe(byte)) in a string must be written as an escape, such as \\n or \\u0000")
            }
        }
    }

    private mutating func finishString(_ run: Range<Int>) -> String {
        guard !unescaped.isEmpty else { return String(decoding: bytes[run], as: UTF8.self) }
        unescaped.append(contentsOf: bytes[run])
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// Skips ASCII characters that need no escape.
    private mutating func skipPlainCharacters() {
        while position < end {
            let byte = bytes[position]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            position += 1
        }
    }

    /// Skips one character outside ASCII. An overlong form, a surrogate, or a value beyond U+10FFFF is found in the second
    /// byte.
    private mutating func skipMultibyteCharacter() throws(JSON.ParseError) {
        guard let (length, second) = bytes[position].utf8Sequence else { throw invalidUTF8() }
        guard end - position >= length, second.contains(bytes[position + 1]),
            bytes[(position + 2)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw invalidUTF8() }
        position += length
    }

    private func invalidUTF8() -> JSON.ParseError {
        failure("invalid UTF-8 in a string, at the byte \(hexadecimal(bytes[position], digits: 2, prefix: "0x"))")
    }
}

extension JSONReader {
    /// Reads an escape from its backslash on.
    private mutating func readEscape() throws(JSON.ParseError) {
        let backslash = position
        position += 1
        guard let letter = next else { throw failure("a string ends within an escape", at: backslash) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "n"): unescaped.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "t"): unescaped.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "r"): unescaped.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "u"): unescaped.append(contentsOf: try readUnicodeEscape(from: backslash).utf8)
        default: throw failure("JSON has no such escape; it has \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", at: backslash)
        }
    }

    /// Reads the digits of `\u`, and the second escape of a surrogate pair (RFC 8259, section 7).
    private mutating func readUnicodeEscape(from backslash: Int) throws(JSON.ParseError) -> Character {
        let unit = try readFourDigits(from: backslash)
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        guard UTF16.isLeadSurrogate(unit), end - position >= 2, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw loneSurrogate(unit, at: backslash) }
        position += 2
        let trail = try readFourDigits(from: position - 2)
        guard UTF16.isTrailSurrogate(trail) else { throw loneSurrogate(unit, at: backslash) }
        return Character(UTF16.decode(UTF16.EncodedScalar([unit, trail])))
    }

    private mutating func readFourDigits(from backslash: Int) throws(JSON.ParseError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            switch next {
            case .some(let digit) where digit.isDigit: value = value << 4 | UInt16(digit - UInt8(ascii: "0"))
            case .some(let digit) where (0x61...0x66).contains(digit | 0x20):
                value = value << 4 | UInt16((digit | 0x20) - UInt8(ascii: "a") + 10)
            default: throw failure("\\u needs four hexadecimal digits", at: backslash)
            }
            position += 1
        }
        return value
    }

    private func loneSurrogate(_ unit: UInt16, at backslash: Int) -> JSON.ParseError {
        let escape = hexadecimal(unit, digits: 4, prefix: "\\u")
        return failure("\(escape) is half of a surrogate pair, and the other half is missing", at: backslash)
    }
}

extension UInt8 {
    /// The length of a character outside ASCII that begins with this byte, and the range of its second byte, by the table
    /// of well-formed UTF-8 (Unicode, table 3-7). `nil` if no character begins with it.
    var utf8Sequence: (length: Int, second: ClosedRange<UInt8>)? {
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
