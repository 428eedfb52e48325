package import HalyardFoundation

/// A body of zeros that is small on the wire, and whose compressed data never ends.
package enum Bomb: String, CaseIterable, Sendable {
    /// Content codings: `gzip` (RFC 1952), `deflate` (RFC 1950), and `gzip, gzip`.
    case gzip, deflate, nested

    /// The value of Content-Encoding.
    package var coding: String { self == .nested ? "gzip, gzip" : rawValue }

    /// Returns the compressed bytes of the given number of megabytes.
    package func bytes(megabytes: Int) -> Data {
        switch self {
        case .gzip: Self.gzipHead + Self.runs(megabytes)
        case .deflate: Data([0x78, 0x9C]) + Self.runs(megabytes)
        case .nested: Self.gzipHead + Self.stored(Self.gzipHead + Self.runs(megabytes))
        }
    }

    private static let gzipHead = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])

    /// One block with fixed codes (RFC 1951) that repeats a zero, without an end.
    private static func runs(_ megabytes: Int) -> Data {
        var data = Data()
        var (bits, count) = (UInt64(0), UInt64(0))
        func put(_ value: UInt64, _ width: UInt64) {
            bits |= value << count
            count += width
            while count >= 8 {
                data.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                count -= 8
            }
        }
        put(1, 1)  // the last block
        put(1, 2)  // fixed codes
        put(0b0000_1100, 8)  // the literal 0, 00110000 with its first bit first
        // A copy of 258 bytes from a distance of one: the length's code 11000101, the distance's 00000.
        for _ in 0..<16 { put(0b0_0000_1010_0011, 13) }
        // From the third byte on, every eight copies are the same 13 bytes.
        var bomb = data.prefix(2)
        for _ in 0..<(megabytes << 20) / 258 / 8 { bomb += data[2..<15] }
        return bomb
    }

    /// Blocks that contain the bytes uncompressed (RFC 1951 section 3.2.4).
    private static func stored(_ bytes: Data) -> Data {
        var (blocks, rest) = (Data(), bytes)
        while !rest.isEmpty {
            let piece = rest.prefix(0xFFFF)
            let (low, high) = (UInt8(piece.count & 0xFF), UInt8(piece.count >> 8))
            blocks += Data([0, low, high, ~low, ~high]) + piece
            rest = rest.dropFirst(piece.count)
        }
        return blocks
    }
}
