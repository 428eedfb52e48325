import Foundation
import HalyardAsync
import HalyardSigning

// The examples of the article on signing and sessions, word for word. SigningTests sends some of them.

struct Storage: HTTPProvider {
    let baseURL = URL(string: "https://example.s3.eu-central-1.amazonaws.com")!
    let authentication: Authentication
}

private func fetch() async throws -> Data {
    let keys = try AWSCredentials.environment()
    let storage = Storage(
        authentication: .aws(keys, region: "eu-central-1", service: "s3"))
    let report = try await storage.request(Route(path: "/report.pdf")).data()
    return report
}

private struct Session: Decodable {
    let id, secret, token: String
    let expiration: Date
}

private func presign(_ login: Storage) async throws -> URL {
    let signature = AWSSignature(region: "eu-central-1", service: "s3") {
        let session = try await login.request(Route(path: "/keys")).object(Session.self)
        return AWSCredentials(
            accessKeyID: session.id, secretAccessKey: session.secret,
            sessionToken: session.token, expiration: session.expiration)
    }
    let link = try await signature.presignedURL(
        for: URL(string: "https://example.s3.eu-central-1.amazonaws.com/report.pdf")!,
        expiresIn: .seconds(3600))
    return link
}

struct PaymentsAPI: HTTPProvider {
    let baseURL = URL(string: "https://payments.example.com")!
    let authentication: Authentication
}

private func pay(_ secret: Data) async throws {
    let key = MessageSignatureKey.hmacSHA256(secret, id: "key-1")
    let payments = PaymentsAPI(authentication: .messageSignature(key))
    let route = Route(path: "/balance", headers: ["Accept-Encoding": "identity"])
    let balance = try await payments.request(route).response()
    try await key.verify(balance, covering: ["@status", "content-digest"])
}

private func checking() -> HTTPClient {
    let client = HTTPClient(
        configuration: .init(policies: [.checkingDigests()]))
    return client
}

/// The keys of CryptoKit and swift-crypto, as far as the article uses them.
private protocol SigningKey: Sendable { func signature(for data: some DataProtocol) throws -> Data }
private protocol VerifyingKey: Sendable {
    func isValidSignature(_ signature: some DataProtocol, for data: some DataProtocol) -> Bool
}

private func keys(_ privateKey: some SigningKey, _ publicKey: some VerifyingKey) -> [MessageSignatureKey] {
    let signer = MessageSignatureKey(id: "key-2", algorithm: "ed25519") {
        try privateKey.signature(for: $0)
    }
    let verifier = MessageSignatureKey(id: "key-2", algorithm: "ed25519") {
        publicKey.isValidSignature($0, for: $1)
    }
    return [signer, verifier]
}

private func check(_ digits: String, _ body: Data, _ secret: String) -> Bool {
    let isGenuine = HMACSHA256.isValid(
        hexadecimal: digits, for: body, key: Data(secret.utf8))
    return isGenuine
}

actor TransmissionSession: Authenticator {
    private var id: String?
    nonisolated let recoverableStatuses: Set<Int> = [409]

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Transmission-Session-Id"] = id
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest)
        async throws -> Bool
    {
        id = response.headers["X-Transmission-Session-Id"]
        return id != nil
    }
}

struct TransmissionAPI: HTTPProvider {
    let baseURL: URL
    let authentication = Authentication(TransmissionSession(), allowsHTTP: true)
}
