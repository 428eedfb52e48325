// Reading and writing of text by its bytes, as the grammars of HTTP describe it.

extension UInt8 {
    /// Whether the byte is a space or a tab.
    package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// The value of a hexadecimal digit in either case; `nil` for any other byte.
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs at both ends.
    package var trimmingBlanks: SubSequence {
        let rest = drop(while: \.isBlank)
        let end = rest.lastIndex { !$0.isBlank }.map(rest.index(after:)) ?? rest.startIndex
        return rest[..<end]
    }
}

extension Collection<UInt8> {
    /// The bytes with percent-encoding decoded (RFC 3986 section 2.1). A `%` without two hexadecimal digits is kept.
    /// `plusIsSpace` says whether `+` becomes a space, as in forms.
    package func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(underestimatedCount)
        var place = startIndex
        while place < endIndex {
            let byte = self[place]
            formIndex(after: &place)
            if byte == UInt8(ascii: "%"), let value = self[place...].hexValue(ofFirst: 2) {
                decoded.append(UInt8(value))
                formIndex(&place, offsetBy: 2)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }

    /// Returns the value of the first hexadecimal digits. `count` is the number of digits, at most 8. `nil` if fewer
    /// digits are at the start.
    package func hexValue(ofFirst count: Int) -> UInt32? {
        var (value, place) = (UInt32(0), startIndex)
        for _ in 0..<count {
            guard place < endIndex, let digit = self[place].hexValue else { return nil }
            value = value << 4 | UInt32(digit)
            formIndex(after: &place)
        }
        return value
    }
}

extension Int64 {
    /// Reads a number of 1 to 18 digits. `nil` for another text.
    package init?(digits text: some StringProtocol) {
        guard (1...18).contains(text.utf8.count), text.consists(of: .digits) else { return nil }
        self = text.utf8.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Reads a number of any length, at most 18 nines. `nil` for another text.
    package init?(clampingDigits text: some StringProtocol) {
        guard !text.isEmpty, text.consists(of: .digits) else { return nil }
        self = Swift.min(Int64(text) ?? .max, 999_999_999_999_999_999)
    }
}

extension Collection<UInt8> {
    /// Two hexadecimal digits in lower case for each byte.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(count * 2)
        for byte in self {
            digits.append((byte >> 4).hexDigit | 0x20)
            digits.append((byte & 15).hexDigit | 0x20)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension Substring.UTF8View {
    /// Removes a quoted string (RFC 9110 section 5.6.4) from the start. `mayLackEnd` says whether the quote at its end
    /// may be missing. Defaults to `true`. Returns its content; `nil`, and nothing is removed, when the text does not
    /// start with one.
    package mutating func popQuotedString(mayLackEnd: Bool = true) -> String? {
        guard first == UInt8(ascii: "\"") else { return nil }
        var (bytes, rest) = ([UInt8](), dropFirst())
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                self = rest
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        guard mayLackEnd else { return nil }
        self = rest
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes a token (RFC 9110 section 5.6.2) from the start. `nil` if there is none.
    package mutating func popToken() -> String? {
        let token = prefix { ASCIISet.token.contains($0) }
        self = self[token.endIndex...]
        return token.isEmpty ? nil : String(token)
    }

    /// Removes the value of a parameter from the start: a quoted string, or the text before an end, without spaces and
    /// tabs at both ends. `end` are the bytes that end a value without quotes.
    package mutating func popParameterValue(before end: ASCIISet) -> String {
        self = drop(while: \.isBlank)
        if let text = popQuotedString() { return text }
        let text = prefix { !end.contains($0) }
        self = self[text.endIndex...]
        return String(Substring(text.trimmingBlanks))
    }
}

extension String {
    /// Makes a text of valid UTF-8; `nil` for other bytes.
    ///
    /// The standard library's initializer needs macOS 15 and iOS 18.
    @inlinable package init?(utf8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(comparing: bytes)
        }
    }

    /// The implementation for older systems. Decoding replaces invalid UTF-8 by U+FFFD, so the result differs from the
    /// bytes.
    @usableFromInline init?(comparing bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Returns where a text in ASCII first occurs.
    package func firstRange(ofASCII needle: StaticString) -> Range<Index>? {
        needle.withUTF8Buffer { bytes in
            var start = utf8.startIndex
            while let first = utf8[start...].firstIndex(of: bytes[0]) {
                if utf8[first...].starts(with: bytes) { return first..<utf8.index(first, offsetBy: bytes.count) }
                start = utf8.index(after: first)
            }
            return nil
        }
    }
}
