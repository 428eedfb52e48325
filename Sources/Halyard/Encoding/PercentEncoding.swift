package import HalyardHTTP

/// Percent-encoding (RFC 3986 section 2.1) into a buffer of bytes.
extension [UInt8] {
    /// Appends text, every byte outside `allowed` as `%XX`.
    package mutating func append(percentEncoding text: some StringProtocol, allowed: ASCIISet = .unreserved) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(percentEncoding: $0, allowed) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { append(percentEncoding: $0, allowed) } }
    }

    private mutating func append(percentEncoding bytes: UnsafeBufferPointer<UInt8>, _ allowed: ASCIISet) {
        var start = 0
        while start < bytes.count {
            let rest = UnsafeBufferPointer(rebasing: bytes[start...])
            let plain = allowed.prefixCount(of: rest)
            if plain > 0 { append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<plain])) }
            if plain < rest.count { append(percentEncoded: rest[plain]) }
            start += plain + 1
        }
    }

    package mutating func append(percentEncoded byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Self.hexDigits[Int(byte >> 4)])
        append(Self.hexDigits[Int(byte & 15)])
    }

    private static let hexDigits = [UInt8]("0123456789ABCDEF".utf8)
}
