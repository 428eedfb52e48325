/// A set of ASCII characters, tested by byte. It is two words of bits and allocates nothing.
package struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    package init(_ characters: StaticString) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        characters.withUTF8Buffer {
            for byte in $0 { if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) } }
        }
        self.init(low: low, high: high)
    }

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    package func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && word & (1 << UInt64(byte & 63)) != 0
    }

    /// Copies bytes that are in the set and percent-encodes the others (RFC 3986 section 2.1).
    ///
    /// - Parameter room: Three bytes for each byte of `bytes`.
    /// - Returns: The number of bytes written.
    package func percentEncode(_ bytes: UnsafeBufferPointer<UInt8>, into room: UnsafeMutablePointer<UInt8>) -> Int {
        var end = room
        for byte in bytes {
            if contains(byte) {
                end.pointee = byte
                end += 1
            } else {
                (end[0], end[1], end[2]) = byte.percentEncoded
                end += 3
            }
        }
        return end - room
    }

    package func union(_ other: ASCIISet) -> ASCIISet { ASCIISet(low: low | other.low, high: high | other.high) }
}

extension ASCIISet {
    package static let digits = ASCIISet("0123456789")
    package static let hexDigits = digits.union(ASCIISet("abcdefABCDEF"))
    package static let upperCase = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    package static let alphanumerics = digits.union(upperCase).union(ASCIISet("abcdefghijklmnopqrstuvwxyz"))

    /// The characters of a `token` (RFC 9110 section 5.6.2): methods and header names.
    package static let token = alphanumerics.union(ASCIISet("!#$%&'*+-.^_`|~"))

    /// The `unreserved` characters (RFC 3986 section 2.3), which never need percent-encoding.
    package static let unreserved = alphanumerics.union(ASCIISet("-._~"))
}

extension StringProtocol {
    /// Whether the text is not empty and all its characters are in `set`.
    package func consists(of set: ASCIISet) -> Bool {
        !isEmpty && utf8.allSatisfy(set.contains)
    }

    /// Whether the texts are equal but for the case of ASCII letters, as in header names, schemes and hosts.
    package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (one, other) = (String(self), String(other))
        return one.withUTF8 { one in
            other.withUTF8 { other in one.indices.allSatisfy { one[$0].lowercasedASCII == other[$0].lowercasedASCII } }
        }
    }
}

extension UInt8 {
    /// The hexadecimal digit of a value below 16, in upper case.
    package var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10 }

    /// A percent sign and two hexadecimal digits (RFC 3986 section 2.1).
    package var percentEncoded: (UInt8, UInt8, UInt8) {
        (UInt8(ascii: "%"), (self >> 4).hexDigit, (self & 15).hexDigit)
    }

    /// The lower-case letter of an upper-case ASCII letter; any other byte unchanged.
    package var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes start with `prefix`. It is not generic, because it reads every URL and every status line.
    package func starts(withASCII prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { prefix in prefix.indices.allSatisfy { self[$0] == prefix[$0] } }
    }
}

extension String {
    /// Whether the text is not empty and all its characters are in `set`. It is not generic, because it reads every
    /// URL.
    package func consists(of set: ASCIISet) -> Bool {
        var text = self
        return text.withUTF8 { !$0.isEmpty && $0.allSatisfy(set.contains) }
    }
}
