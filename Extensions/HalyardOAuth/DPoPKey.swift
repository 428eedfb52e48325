public import Halyard
public import HalyardFoundation
import HalyardHTTP

/// A key whose possession a client proves with each request, so that stolen tokens are of no use without it (DPoP, RFC
/// 9449).
///
/// The private key stays with you: the closure signs what it receives, such as with CryptoKit, in a Secure Enclave or
/// by another process.
///
/// ```swift
/// let secret = try SecureEnclave.P256.Signing.PrivateKey()
/// let key = DPoPKey(p256: secret.publicKey.rawRepresentation) { text in
///     try secret.signature(for: text).rawRepresentation
/// }
/// let client = OAuthClient(id: "my-app", server: server, key: key)
/// ```
///
/// Keep the key as long as the tokens, and sign in again when you add or replace one: the server refuses refresh tokens
/// of another key, with an ``OAuthError`` of code `invalidGrant` or `other("invalid_dpop_proof")`.
public struct DPoPKey: Sendable {
    private let algorithm: String
    private let publicKey: JSON
    private let sign: @Sendable (Data) async throws -> Data
    /// What each server wants to find in the next proof.
    private let nonces = Lock<[Origin: String]>([:])

    /// Makes a key of an algorithm of JSON Web Signatures (RFC 7518 section 3.1).
    ///
    /// - Parameters:
    ///   - algorithm: Such as `ES256`, one of the server's `dpop_signing_alg_values_supported`.
    ///   - jwk: The public key as a JSON Web Key (RFC 7517). Only members of public keys are sent.
    ///   - sign: Returns the signature of the bytes it receives, for ES256 the 64 bytes of RFC 7518 section 3.4. If it
    ///     throws, the request fails with its error.
    public init(algorithm: String, jwk: JSON, sign: @escaping @Sendable (Data) async throws -> Data) {
        (self.algorithm, self.sign) = (algorithm, sign)
        // A private part that is there by mistake is left out.
        let names = ["crv", "e", "kty", "n", "x", "y"]
        publicKey = .object(.init(names.filter { !jwk[$0].isNull }.map { ($0, jwk[$0]) }))
    }

    /// Makes a key of the curve P-256, with the algorithm ES256.
    ///
    /// - Parameters:
    ///   - point: The public key, as the 64 bytes of x and y, which may follow a byte 4: `rawRepresentation` or
    ///     `x963Representation` in CryptoKit.
    ///   - sign: Returns the ECDSA signature with SHA-256 of the bytes it receives, as the 64 bytes of r and s, not in
    ///     DER: `rawRepresentation` in CryptoKit. If it throws, the request fails with its error.
    public init(p256 point: Data, sign: @escaping @Sendable (Data) async throws -> Data) {
        let (x, y) = (point.suffix(64).prefix(32).base64URL, point.suffix(32).base64URL)
        self.init(
            algorithm: "ES256", jwk: ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)], sign: sign)
    }
}

extension DPoPKey {
    /// Adds a proof for one sending of a request (section 4.2). With an access token, it proves that the token is the
    /// client's.
    func addProof(to request: inout HTTPRequest, token: String? = nil, at date: Date) async throws {
        var claims: JSON = [
            "jti": .string(UUID.random().uuidString), "htm": .string(request.method.rawValue),
            "htu": .string(request.target), "iat": .number(.init(Int(date.timeIntervalSince1970))),
        ]
        if let token { claims["ath"] = .string(SHA256Digest.hash(Data(token.utf8)).base64URL) }
        if let nonce = nonces.withLock({ [origin = request.origin] in $0[origin] }) { claims["nonce"] = .string(nonce) }
        let header: JSON = ["typ": "dpop+jwt", "alg": .string(algorithm), "jwk": publicKey]
        let text = "\(header.encoded().base64URL).\(claims.encoded().base64URL)"
        let signature = try await sign(Data(text.utf8))
        // A signature in DER is a frequent mistake, about which servers say little.
        guard algorithm != "ES256" || signature.count == 64 else {
            throw HTTPError(
                .encoding("DPoP"), reason: "a signature of ES256 has 64 bytes, not \(signature.count)",
                suggestion: "Return r and s, 32 bytes each: `rawRepresentation` in CryptoKit, not DER")
        }
        request.headers["DPoP"] = "\(text).\(signature.base64URL)"
    }

    /// Keeps the nonce for the next proofs to a server (section 8.2). Returns whether the server refuses the request
    /// only because its proof lacks that nonce (section 9).
    func keepNonce(of response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let nonce = response.headers["DPoP-Nonce"] else { return false }
        nonces.withLock { [origin = request.origin] in $0[origin] = nonce }
        return response.headers.values(for: "WWW-Authenticate").contains { $0.contains("use_dpop_nonce") }
    }
}

extension DPoPKey: SafelyDescribed {
    /// The algorithm. Neither the key nor a proof is shown.
    public var description: String { "a key for DPoP with \(algorithm)" }
}

extension HTTPRequest {
    /// The URL without its query and fragment, in the form of RFC 3986 section 6.2.3.
    fileprivate var target: String {
        let path = url.path(percentEncoded: true)
        return "\(origin)\(path.isEmpty ? "/" : path)"
    }
}

extension Data {
    /// The base64url form without padding (RFC 7636 appendix A, RFC 7515 section 2).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
