public import HalyardFoundation
import HalyardHTTP

/// A message authentication code: HMAC (RFC 2104) with SHA-256, of bytes that come in parts.
///
/// ```swift
/// let isGenuine = HMACSHA256.isValid(
///     received, for: message, key: Data("secret".utf8))
/// ```
public struct HMACSHA256: Sendable {
    private var inner = SHA256Digest()
    private var outer = SHA256Digest()

    /// Makes the code of no bytes with a key of any length.
    public init(key: some ContiguousBytes) {
        var block = key.withUnsafeBytes { $0.count > 64 ? Array(SHA256Digest.hash($0)) : Array($0) }
        block += Array(repeating: 0, count: 64 - block.count)
        inner.update(block.map { $0 ^ 0x36 })
        outer.update(block.map { $0 ^ 0x5C })
    }

    /// Adds bytes of the message.
    public mutating func update(_ bytes: some ContiguousBytes) { inner.update(bytes) }

    /// Returns the 32 bytes of the code of all bytes so far.
    public func finish() -> Data {
        var outer = outer
        outer.update(inner.finish())
        return outer.finish()
    }

    /// Returns the 32 bytes of the code of a message.
    public static func code(for message: some ContiguousBytes, key: some ContiguousBytes) -> Data {
        var code = HMACSHA256(key: key)
        code.update(message)
        return code.finish()
    }

    /// Returns whether a code is that of a message. The comparison takes the same time wherever the codes differ.
    public static func isValid(
        _ code: some ContiguousBytes, for message: some ContiguousBytes, key: some ContiguousBytes
    ) -> Bool {
        areEqual(code, Self.code(for: message, key: key))
    }

    /// Returns whether hexadecimal digits, in lower or upper case, are the code of a message, as in the header of a
    /// webhook. The comparison is constant-time.
    public static func isValid(
        hexadecimal digits: some StringProtocol, for message: some ContiguousBytes, key: some ContiguousBytes
    ) -> Bool {
        areEqual(Data(digits.lowercased().utf8), Data(code(for: message, key: key).hexadecimal.utf8))
    }

    /// Returns whether two secrets are equal. The comparison is constant-time for equal lengths, so an attacker
    /// cannot find a secret byte by byte.
    public static func areEqual(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }
}

extension HMACSHA256: SafelyDescribed {
    /// A fixed text. The state, from which codes can be made, is not shown.
    public var description: String { "HMAC with SHA-256" }
}
