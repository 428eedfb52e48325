extension ByteBuffer {
    /// Appends a string in quotes, with only the escapes that RFC 8259 section 7 requires.
    @inline(__always)
    @discardableResult
    mutating func appendQuoted(_ string: String) -> Bool {
        append(UInt8(ascii: "\""))
        let isPlain = string.utf8.withContiguousStorageIfAvailable { buffer in
            guard JSONBytes(buffer).plainLength == buffer.count else { return false }
            append(buffer)
            return true
        }
        if isPlain != true { appendEscaped(string) }
        append(UInt8(ascii: "\""))
        return isPlain != true
    }

    @inline(never)
    private mutating func appendEscaped(_ string: String) {
        for byte in string.utf8 {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
            case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
            case 0x08: append(UInt8(ascii: "b"))
            case 0x0C: append(UInt8(ascii: "f"))
            default:
                for digit in byte < 0x10 ? "u000".utf8 : "u001".utf8 { append(digit) }
                append((byte & 0xF) < 10 ? UInt8(ascii: "0") + (byte & 0xF) : UInt8(ascii: "a") + (byte & 0xF) - 10)
            }
        }
    }

    /// Appends the name of a property in snake case, in quotes.
    ///
    /// - Returns: `false`, with nothing appended, if the name has other characters than ASCII letters, or does not
    ///   begin with a lower-case letter.
    @inline(__always)
    mutating func appendSnakeCase(_ property: String) -> Bool {
        let start = count
        append(UInt8(ascii: "\""))
        var (letters, previous): (String.UTF8View.Iterator, UInt8) = (property.utf8.makeIterator(), 0)
        var letter = letters.next()
        while let byte = letter {
            let next = letters.next()
            if byte &- UInt8(ascii: "A") < 26, previous != 0 {
                let (followsSmall, precedesSmall) = (
                    previous &- UInt8(ascii: "a") < 26, (next ?? 0) &- UInt8(ascii: "a") < 26
                )
                if followsSmall || precedesSmall { append(UInt8(ascii: "_")) }
                append(byte | 0x20)
            } else if byte &- UInt8(ascii: "a") < 26 {
                append(byte)
            } else {
                removeAll(from: start)
                return false
            }
            (letter, previous) = (next, byte)
        }
        append(UInt8(ascii: "\""))
        return true
    }

    /// Appends a whole number in decimal.
    @inline(__always)
    mutating func append<Value: FixedWidthInteger>(decimal value: Value) {
        guard let small = Int64(exactly: value) else {
            for digit in String(value).utf8 { append(digit) }
            return
        }
        append(reserving: 20) { target in
            var (rest, position) = (small.magnitude, 20)
            // The digits are written from the last to the first, at the end of the reserved bytes.
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                position -= 1
                target[position] = UInt8(ascii: "0") + UInt8(digit)
                rest = quotient
            } while rest > 0
            if small < 0 {
                position -= 1
                target[position] = UInt8(ascii: "-")
            }
            let length = 20 - position
            target.update(from: target + position, count: length)
            return length
        }
    }

    /// Appends a finite number, without `.0`.
    @inline(__always)
    mutating func append(number description: String) {
        var digits = Substring(description)
        if description.utf8.count > 2, description.hasSuffix(".0") { digits = digits.dropLast(2) }
        for digit in digits.utf8 { append(digit) }
    }
}

extension JSONBytes {
    /// The number of bytes before the first one that needs an escape.
    @inline(__always)
    fileprivate var plainLength: Int {
        var position = 0
        while count - position >= 8 {
            let found = Self.escaped(in: eight(at: position))
            if found != 0 { return position + found.trailingZeroBitCount >> 3 }
            position += 8
        }
        while position < count {
            let byte = self[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            position += 1
        }
        return position
    }

    /// Returns a word whose lowest set bit is in the first of eight bytes that needs an escape. 0 if there is none.
    @inline(__always)
    private static func escaped(in eight: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quote = eight ^ (ones &* 0x22)
        let backslash = eight ^ (ones &* 0x5C)
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (eight &- (ones &* 0x20)) & ~eight)
            & highs
    }
}
