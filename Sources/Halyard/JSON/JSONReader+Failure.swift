extension JSONReader {
    /// Returns an error with the expected text and the actual text.
    func unexpected(_ expected: String) -> JSON.ParseError {
        failure("expected \(expected), found \(describeNext())")
    }

    /// Returns an error at a byte. It defaults to the next byte. Line and column are counted only now.
    func failure(_ reason: String, at offset: Int? = nil) -> JSON.ParseError {
        let before = bytes[start..<(offset ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? start
        // Continuation bytes of UTF-8 do not begin a character.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return JSON.ParseError(line: line, column: column, reason: reason)
    }

    /// Returns the next character, or a description if printing it would be confusing or harmful.
    private func describeNext() -> String {
        guard let byte = next else { return "the end of the input" }
        guard byte >= 0x80 else { return describe(byte) }
        var decoder = UTF8()
        var rest = bytes[position...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
            let hint = byte >= 0xFE ? " (is this UTF-16? JSON is UTF-8)" : ""
            return "the byte \(hexadecimal(byte, digits: 2, prefix: "0x"))\(hint)"
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator, .spaceSeparator,
            .nonspacingMark, .enclosingMark, .spacingMark:
            return "the character \(hexadecimal(scalar.value, digits: 4, prefix: "U+"))"
        default: return "\"\(scalar)\""
        }
    }

    /// Returns an ASCII character.
    func describe(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): "a line break"
        case UInt8(ascii: "\t"): "a tab"
        case UInt8(ascii: "\""): "a double quote"
        case UInt8(ascii: "'"): "a single quote (JSON has double quotes only)"
        case UInt8(ascii: "/"): "\"/\" (JSON has no comments)"
        case 0: "a NUL byte (is this UTF-16? JSON is UTF-8)"
        case ..<0x20, 0x7F: "the control character \(hexadecimal(byte, digits: 4, prefix: "U+"))"
        default: "\"\(Unicode.Scalar(byte))\""
        }
    }

    func hexadecimal(_ value: some BinaryInteger, digits: Int, prefix: String) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
