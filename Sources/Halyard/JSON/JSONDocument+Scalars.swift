import HalyardFoundation

extension JSONDocument {
    /// Returns the text of a string or a name.
    @inline(__always)
    func string(of word: JSONWord) -> String {
        word.has(JSONWord.hasEscapes)
            ? unescaped(word) : bytes.string(at: word.place, count: length(of: word))
    }

    /// Returns the text of a string with escapes. The scanner has checked them.
    @inline(never)
    private func unescaped(_ word: JSONWord) -> String {
        let (bytes, end) = (self.bytes, word.place + length(of: word))
        return String(unsafeUninitializedCapacity: end - word.place) { buffer in
            var (position, count) = (word.place, 0)
            while position < end {
                let byte = bytes[position]
                guard byte == UInt8(ascii: "\\") else {
                    buffer[count] = byte
                    (position, count) = (position + 1, count + 1)
                    continue
                }
                let letter = bytes[position + 1]
                position += 2
                guard letter == UInt8(ascii: "u") else {
                    buffer[count] = Self.character(ofEscape: letter)
                    count += 1
                    continue
                }
                for unit in scalar(at: &position).utf8 {
                    buffer[count] = unit
                    count += 1
                }
            }
            return count
        }
    }

    private static func character(ofEscape letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        default: letter
        }
    }

    /// Reads the digits of `\u`, and the second escape of a surrogate pair.
    private func scalar(at position: inout Int) -> Unicode.Scalar {
        let unit = bytes.fourDigits(at: position) ?? 0
        position += 4
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let trail = bytes.fourDigits(at: position + 2) ?? 0
        position += 6
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }
}

extension JSONDocument {
    /// Returns a whole number. `nil` if it has a fraction or does not fit. `1.0` and `1e2` are whole numbers.
    @inline(__always)
    func integer<Value: FixedWidthInteger>(of word: JSONWord, as type: Value.Type) -> Value? {
        let (bytes, length) = (self.bytes, word.length)
        // 18 digits fit a word of 64 bits.
        guard !word.has(JSONWord.isFractional), length <= 18 else { return longInteger(of: word, as: type) }
        var position = word.place
        let end = position + length
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var value: Int64 = 0
        while position < end {
            value = value &* 10 &+ Int64(bytes[position] &- UInt8(ascii: "0"))
            position += 1
        }
        return Value(exactly: isNegative ? 0 &- value : value)
    }

    @inline(never)
    private func longInteger<Value: FixedWidthInteger>(of word: JSONWord, as type: Value.Type) -> Value? {
        JSON.Number(checked: text(ofNumber: word)).integer()
    }

    func text(ofNumber word: JSONWord) -> String { bytes.string(at: word.place, count: length(of: word)) }

    /// Returns the nearest `Double`. `nil` if the number is too large for a `Double`, or so small that it would become
    /// 0.
    @inline(__always)
    func double(of word: JSONWord) -> Double? {
        bytes.double(at: word.place, count: length(of: word)) ?? longNumber(of: word)
    }

    @inline(never)
    func longNumber<Value: BinaryFloatingPoint & LosslessStringConvertible>(of word: JSONWord) -> Value? {
        let text = text(ofNumber: word)
        guard let value = Value(text), value.isFinite, value != 0 || Self.isZero(text) else { return nil }
        return value
    }

    private static func isZero(_ number: String) -> Bool {
        !number.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { $0 &- UInt8(ascii: "1") < 9 }
    }
}

extension JSONDocument {
    /// Reads a value with the order and number of its members, and all digits of its numbers. Throws
    /// `CancellationError` if the task was cancelled.
    func json(at index: Int) throws -> JSON {
        let word = self[index]
        try checkCancellation()
        switch JSONWord.Kind(rawValue: word.kind) {
        case .yes: return true
        case .no: return false
        case .number: return .number(JSON.Number(checked: text(ofNumber: word)))
        case .string: return .string(string(of: word))
        case .array:
            var (elements, position): ([JSON], Int) = ([], index + 2)
            elements.reserveCapacity(word.length)
            while position < word.place {
                elements.append(try json(at: position))
                position = next(after: position)
            }
            return .array(elements)
        case .object:
            var (members, position): ([JSON.Object.Element], Int) = ([], index + 2)
            members.reserveCapacity(word.length)
            while position < word.place {
                members.append((string(of: self[position]), try json(at: position + 1)))
                position = next(after: position + 1)
            }
            return .object(JSON.Object(members))
        case .null, nil: return .null
        }
    }
}
