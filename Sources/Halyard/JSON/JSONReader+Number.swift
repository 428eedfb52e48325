extension JSONReader {
    /// Reads a number by RFC 8259, section 6, and keeps it as it is written.
    mutating func readNumber() throws(JSON.ParseError) -> JSON.Number {
        let first = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") {
            position += 1
            if let next, next.isDigit { throw failure("a number may not begin with 0 before other digits") }
        } else {
            try skipDigits(after: "a minus sign")
        }
        if next == UInt8(ascii: ".") {
            position += 1
            try skipDigits(after: "a decimal point")
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits(after: "the exponent sign")
        }
        return JSON.Number(checked: String(decoding: bytes[first..<position], as: UTF8.self))
    }

    private mutating func skipDigits(after what: String) throws(JSON.ParseError) {
        guard let next, next.isDigit else { throw unexpected("a digit after \(what)") }
        while position < end, bytes[position].isDigit { position += 1 }
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
