public import HalyardFoundation
import HalyardHTTP

/// A key that makes or checks HTTP Message Signatures (RFC 9421).
///
/// ``hmacSHA256(_:id:)`` is a shared secret. For other algorithms, pass the functions of a library of cryptography:
///
/// ```swift
/// let key = MessageSignatureKey(id: "key-1", algorithm: "ed25519") {
///     try privateKey.signature(for: $0)
/// }
/// ```
public struct MessageSignatureKey: Sendable {
    /// The `keyid` of signatures, by which the other side finds its key. `nil` for none.
    public let id: String?
    /// The `alg` of signatures, as IANA has it, such as `ed25519` or `ecdsa-p256-sha256`. `nil` if both sides know it.
    public let algorithm: String?
    let sign: (@Sendable (Data) async throws -> Data)?
    let isValid: (@Sendable (_ signature: Data, _ message: Data) async throws -> Bool)?

    /// Makes a key that signs.
    public init(
        id: String? = nil, algorithm: String? = nil, sign: @escaping @Sendable (_ message: Data) async throws -> Data
    ) {
        (self.id, self.algorithm, self.sign, isValid) = (id, algorithm, sign, nil)
    }

    /// Makes a key that checks signatures.
    public init(
        id: String? = nil, algorithm: String? = nil,
        isValid: @escaping @Sendable (_ signature: Data, _ message: Data) async throws -> Bool
    ) {
        (self.id, self.algorithm, sign, self.isValid) = (id, algorithm, nil, isValid)
    }

    private init(secret: Data, id: String?) {
        (self.id, algorithm) = (id, "hmac-sha256")
        sign = { HMACSHA256.code(for: $0, key: secret) }
        isValid = { HMACSHA256.isValid($0, for: $1, key: secret) }
    }

    /// Returns a key that both sides share, which signs and checks. Use at least 32 random bytes.
    public static func hmacSHA256(_ secret: Data, id: String? = nil) -> MessageSignatureKey {
        MessageSignatureKey(secret: secret, id: id)
    }
}

extension MessageSignatureKey: SafelyDescribed {
    /// The ID of the key, without the key.
    public var description: String { "a key for signatures" + (id.map { " with the ID \($0)" } ?? "") }
}

/// Why a message is not as its signer has sent it.
public enum MessageSignatureError: Error, Hashable, Sendable {
    /// It has no signature with the label or the key's ID that can be read.
    case missing
    /// The signature is too old, has expired, has no creation time, or is dated more than 30 seconds in the future.
    case expired
    /// The signature does not cover this component, which it must cover.
    case notCovered(String)
    /// The message has no such component, or has it in a form that cannot be signed.
    case unknownComponent(String)
    /// The key has another algorithm than the signature says, or was made for signing or checking alone.
    case wrongKey
    /// The message or its signature was changed, or another key has signed it.
    case invalid
    /// The signature covers a digest of the body that cannot be checked: it is not SHA-256, or that of a whole file.
    case unknownDigest
    /// The body is not that of the `Content-Digest` or `Repr-Digest`.
    case bodyDiffers
}

extension MessageSignatureError: CustomStringConvertible, LocalizedError {
    /// The reason.
    public var description: String {
        switch self {
        case .missing: "the message has no signature of this key that can be read"
        case .expired: "the signature is too old, or the clocks differ"
        case .notCovered(let name): "the signature does not cover \(name)"
        case .unknownComponent(let name): "the message has no \(name) that can be signed"
        case .wrongKey: "the signature has another algorithm than the key, or the key cannot do this"
        case .invalid: "the message is not as it was signed, or another key has signed it"
        case .unknownDigest: "the digest that is signed cannot be checked: it is not sha-256, or not that of this part"
        case .bodyDiffers: "the body is not the one of its digest"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
