package import HalyardHTTP

/// Percent-encoding (RFC 3986 section 2.1) into a buffer of bytes.
extension [UInt8] {
    /// Appends text, every byte outside `allowed` as `%XX`.
    package mutating func append(percentEncoding text: some StringProtocol, allowed: ASCIISet = .unreserved) {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.allSatisfy(allowed.contains) else { return false }
            append(contentsOf: bytes)
            return true
        }
        if isPlain ?? false { return }
        for byte in text.utf8 {
            if allowed.contains(byte) { append(byte) } else { append(percentEncoded: byte) }
        }
    }

    package mutating func append(percentEncoded byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Self.hexDigits[Int(byte >> 4)])
        append(Self.hexDigits[Int(byte & 15)])
    }

    private static let hexDigits = [UInt8]("0123456789ABCDEF".utf8)
}
