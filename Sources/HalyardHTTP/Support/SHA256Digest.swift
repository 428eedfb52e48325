import CHalyardZlib
public import HalyardFoundation

/// SHA-256 (FIPS 180-4) of bytes that come in parts. It uses the processor's instructions for it, where there are any.
///
/// ```swift
/// var digest = SHA256Digest()
/// for try await chunk in api.bytes(route) { digest.update(chunk) }
/// let bytes = digest.finish()
/// ```
public struct SHA256Digest: Sendable {
    private var state = halyard_sha256()

    /// Makes the digest of no bytes.
    public init() { halyard_sha256_init(&state) }

    /// Adds bytes.
    public mutating func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { halyard_sha256_update(&state, $0.baseAddress, $0.count) }
    }

    /// Returns the 32 bytes of the digest of all bytes so far.
    public func finish() -> Data {
        var (state, result) = (state, Data(count: 32))
        result.withUnsafeMutableBytes { halyard_sha256_finish(&state, $0.baseAddress) }
        return result
    }

    /// Returns the 32 bytes of the digest of bytes in memory.
    public static func hash(_ bytes: some ContiguousBytes) -> Data {
        var digest = SHA256Digest()
        digest.update(bytes)
        return digest.finish()
    }

    /// Returns the digest of a text's UTF-8 as 64 hexadecimal digits in lower case.
    package static func hexDigest(of text: String) -> String { hash(Array(text.utf8)).hexadecimal }
}

extension FixedWidthInteger {
    /// The bytes of the value, the most significant one first.
    package var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian, Array.init) }
}

extension [UInt8] {
    /// Returns the message of a digest with a one bit and zeros, so that `end` fills the last block.
    package func padded(toBlocksOf size: Int, end: [UInt8]) -> [UInt8] {
        let zeros = size - 1 - (count + end.count) % size
        return self + [0x80] + Array(repeating: 0, count: zeros) + end
    }
}
