import Foundation
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// The end of a login, here and at the server (RFC 7009).
@Suite(.timeLimit(.minutes(3)))
struct SignOutTests {
    private struct Broken: Error {}

    /// A store whose tokens cannot be removed, and perhaps not be read.
    private struct BrokenStore: OAuthTokenStore {
        let isReadable: Bool

        func load() throws -> OAuthToken? {
            if !isReadable { throw Broken() }
            return OAuthToken(accessToken: "a0", refreshToken: "r0")
        }

        func save(_ token: OAuthToken?) throws { if token == nil { throw Broken() } }
    }

    private let server: TokenServer
    private let client: OAuthClient

    init() throws {
        server = try TokenServer()
        server.loopback.on(.post, "/revoke", .status(200))
        var endpoints = server.loopback.endpoints
        endpoints.revocationURL = server.loopback.baseURL.appending(path: "revoke")
        client = OAuthClient(id: "my app", proof: .post(secret: "s"), server: endpoints)
    }

    private var revocations: [[String: String]] {
        server.loopback.requests.filter { $0.path == "/revoke" }.map(\.form)
    }

    private func expectNoLogin(_ session: OAuthSession) async {
        let error = await #expect(throws: OAuthError.self) { try await server.api(session).data() }
        #expect(error?.code == .signInRequired)
    }

    @Test("the refresh token is revoked, or else the access token, and nothing is left", arguments: ["r0", nil])
    func success(refreshToken: String?) async throws {
        let store = OAuthMemoryStore(OAuthToken(accessToken: "a0", refreshToken: refreshToken))
        let session = OAuthSession(client, store: store)
        for _ in 0..<2 { try await session.signOut() }
        let proof = ["client_id": "my app", "client_secret": "s"]
        let token = ["token": refreshToken ?? "a0"]
        let hint = ["token_type_hint": refreshToken == nil ? "access_token" : "refresh_token"]
        #expect(revocations == [proof.merging(token) { $1 }.merging(hint) { $1 }])
        #expect(store.load() == nil)
        await expectNoLogin(session)
    }

    @Test("the tokens are gone when they cannot be revoked, and the error comes afterwards", arguments: [503, 400, 0])
    func unrevoked(status: Int) async throws {
        server.loopback.on(
            .post, "/revoke",
            status == 0
                ? .status(200).resetting() : .json(text: #"{"error":"unsupported_token_type"}"#, status: status))
        if status == 503 { server.loopback.on(.post, "/revoke", .status(503)) }
        let store = OAuthMemoryStore(OAuthToken(accessToken: "a0", refreshToken: "r0"))
        let session = OAuthSession(client, store: store)
        do {
            try await session.signOut()
            Issue.record("there was no error")
        } catch {
            #expect(store.load() == nil)
            switch status {
            case 503: #expect(error == HTTPError.status(503))
            case 400: #expect((error as? OAuthError)?.code == .other("unsupported_token_type"))
            default: #expect(error == HTTPError.connectionLost)
            }
        }
        await expectNoLogin(session)
    }

    @Test("without an endpoint, the tokens are only removed")
    func local() async throws {
        let store = OAuthMemoryStore(OAuthToken(accessToken: "a0", refreshToken: "r0"))
        let session = OAuthSession(server.client(), store: store)
        try await session.signOut()
        #expect(store.load() == nil && server.loopback.requests.isEmpty)
        await expectNoLogin(session)
    }

    @Test(
        "tokens that the store cannot remove are revoked, and the error is that of the store", arguments: [true, false])
    func brokenStore(isReadable: Bool) async throws {
        let session = OAuthSession(client, store: BrokenStore(isReadable: isReadable))
        try await session.signIn(OAuthToken(accessToken: "a0", refreshToken: "r0"))
        await #expect(throws: Broken.self) { try await session.signOut() }
        #expect(revocations.map { $0["token"] } == ["r0"])
    }

    @Test("the error of the store counts more than that of the server")
    func brokenStoreAndServer() async throws {
        server.loopback.on(.post, "/revoke", .status(503))
        let session = OAuthSession(client, store: BrokenStore(isReadable: true))
        await #expect(throws: Broken.self) { try await session.signOut() }
        #expect(revocations.count == 1)
    }
}
