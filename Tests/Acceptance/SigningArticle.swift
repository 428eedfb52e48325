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

private func check(_ code: Data, _ body: Data, _ secret: String) -> Bool {
    let isGenuine = HMACSHA256.isValid(code, for: body, key: Data(secret.utf8))
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
