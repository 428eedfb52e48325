/// A set of ASCII characters, asked by byte: two words of bits, no allocation.
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

    /// How many of the first bytes are in the set, up to the first that is not: one call for all of them, for a call across
    /// modules takes as long as all else that is done with a byte (`bench build`).
    package func prefixCount(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.firstIndex { !contains($0) } ?? bytes.count
    }

    /// Writes bytes that are in the set as they are, and others percent-encoded, into a room with three bytes for each.
    /// Returns how many were written.
    package func percentEncode(_ bytes: UnsafeBufferPointer<UInt8>, into room: UnsafeMutablePointer<UInt8>) -> Int {
        var end = room
        for byte in bytes {
            if contains(byte) {
                end.pointee = byte
                end += 1
            } else {
                end[0] = UInt8(ascii: "%")
                end[1] = (byte >> 4).hexDigit
                end[2] = (byte & 15).hexDigit
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
    package static let alphanumerics = digits.union(
        ASCIISet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))

    /// `token`, RFC 9110 section 5.6.2: what methods and header names are made of.
    package static let token = alphanumerics.union(ASCIISet("!#$%&'*+-.^_`|~"))

    /// `unreserved`, RFC 3986 section 2.3: the characters that never need percent-encoding.
    package static let unreserved = alphanumerics.union(ASCIISet("-._~"))
}

extension StringProtocol {
    /// Whether every character is in `set` and there is at least one.
    package func consists(of set: ASCIISet) -> Bool {
        !isEmpty && utf8.allSatisfy(set.contains)
    }

    /// Compares as header names, schemes and hosts are compared: ASCII letters in either case are equal.
    package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (one, other) = (String(self), String(other))
        return one.withUTF8 { one in
            other.withUTF8 { other in one.indices.allSatisfy { one[$0].lowercasedASCII == other[$0].lowercasedASCII } }
        }
    }
}

extension UInt8 {
    /// The digit, in capitals, for a value below 16.
    package var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10 }

    /// The lower-case letter for an ASCII capital; any other byte unchanged.
    package var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether it begins with these letters. Of nothing generic, as what reads each URL and each status line must be.
    package func starts(withASCII prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { prefix in prefix.indices.allSatisfy { self[$0] == prefix[$0] } }
    }
}

extension String {
    /// The same for a whole string, of which nothing is generic: a URL is read so for each request (`bench build`).
    package func consists(of set: ASCIISet) -> Bool {
        var text = self
        return text.withUTF8 { !$0.isEmpty && $0.allSatisfy(set.contains) }
    }
}
