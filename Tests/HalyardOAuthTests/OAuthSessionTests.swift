import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Logins and their renewal, against a server in the process.
@Suite(.timeLimit(.minutes(3)))
struct OAuthSessionTests {
    private let clock = ManualClock()

    private func client(_ server: TokenServer, _ proof: OAuthClient.Proof = .none) -> OAuthClient {
        server.client(proof, clock: clock)
    }

    private func api(_ server: TokenServer, _ session: OAuthSession) -> DataAPI { server.api(session) }

    @Test("a program signs in with its credentials, and again before its token expires")
    func clientCredentials() async throws {
        let server = try TokenServer(lifetime: "100")
        let session = OAuthSession(
            clientCredentials: client(server, .basic(secret: "a+b:c")), scopes: ["read", "write"])
        let api = api(server, session)
        #expect(try await api.data() == "data")
        #expect(try await api.data() == "data")
        #expect(server.tokenRequests.count == 1)
        let request = try #require(server.tokenRequests.first)
        #expect(
            request.form == ["grant_type": "client_credentials", "scope": "read write"])
        // Both are in the coding of forms (RFC 6749 section 2.3.1).
        #expect(request.headers["Authorization"] == "Basic " + Data("my%20app:a%2Bb%3Ac".utf8).base64EncodedString())
        clock.advance(by: .seconds(101))
        #expect(try await api.data() == "data")
        #expect(server.tokenRequests.count == 2)
    }

    @Test(arguments: [
        (OAuthClient.Proof.none, ["client_id": "my app"]),
        (.post(secret: "s"), ["client_id": "my app", "client_secret": "s"]),
        (
            .assertion { "signed" },
            [
                "client_id": "my app", "client_assertion": "signed",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
        ),
    ])
    func `a client proves who it is in the body`(proof: OAuthClient.Proof, fields: [String: String]) async throws {
        let server = try TokenServer()
        _ = try await api(server, OAuthSession(clientCredentials: client(server, proof))).data()
        let request = try #require(server.tokenRequests.first)
        #expect(request.form == fields.merging(["grant_type": "client_credentials"]) { $1 })
        #expect(request.headers["Authorization"] == nil)
    }

    @Test("a hundred requests with an expired token renew it once, and the new refresh token is saved before its use")
    func renewal() async throws {
        let server = try TokenServer()
        let store = OAuthMemoryStore(
            OAuthToken(accessToken: "old", expiration: .distantPast, refreshToken: "r0", scopes: ["read"]))
        let api = api(server, OAuthSession(client(server), store: store))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await api.data() } }
            for try await text in group { #expect(text == "data") }
        }
        #expect(server.tokenRequests.count == 1)
        #expect(server.tokenRequests.first?.form["refresh_token"] == "r0")
        let stored = store.load()
        #expect(stored?.accessToken == "a1" && stored?.refreshToken == "r1" && stored?.scopes == ["read"])
    }

    @Test("a token that the API refuses is renewed, with the refresh token that the server keeps")
    func refused() async throws {
        let server = try TokenServer(rotates: false)
        let store = OAuthMemoryStore(OAuthToken(accessToken: "revoked", refreshToken: "r0"))
        #expect(try await api(server, OAuthSession(client(server), store: store)).data() == "data")
        #expect(store.load()?.refreshToken == "r0")
    }

    @Test("a refresh token that is refused ends the login with one error, and a new login goes on")
    func ended() async throws {
        let server = try TokenServer()
        let store = OAuthMemoryStore(OAuthToken(accessToken: "old", refreshToken: "stolen"))
        let session = OAuthSession(client(server), store: store)
        let api = api(server, session)
        for reason in ["used", nil] {
            let error = await #expect(throws: OAuthError.self) { try await api.data() }
            #expect(error?.code == .signInRequired && error?.reason == reason)
        }
        #expect(store.load() == nil && server.tokenRequests.count == 1)
        try await session.signIn(OAuthToken(accessToken: "a0"))
        #expect(try await api.data() == "data")
        try await session.signOut()
        await #expect(throws: OAuthError.self) { try await api.data() }
    }

    @Test("a logout while the token is renewed leaves nothing in the store")
    func signOutMeanwhile() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/token", .json(text: #"{"access_token":"a1","refresh_token":"r1"}"#))
        let gate = Gate()
        let store = OAuthMemoryStore(OAuthToken(accessToken: "old", expiration: .distantPast, refreshToken: "r0"))
        let session = OAuthSession(
            OAuthClient(
                id: "app", server: OAuthServer(tokenURL: server.baseURL.appending(path: "token")),
                http: HTTPClient(interceptors: [gate])),
            store: store)
        let api = DataAPI(baseURL: server.baseURL, authentication: .oauth(session))
        let request = Task { try? await api.data() }
        for await _ in gate.arrived.stream { break }
        async let end: Void = session.signOut()
        gate.opened.continuation.yield()
        try await end
        _ = await request.value
        #expect(store.load() == nil)
        await #expect(throws: OAuthError.self) { try await api.data() }
    }

    @Test(arguments: [
        (#"{"error":"invalid_client","error_description":"no such client"}"#, 401, OAuthError.Code.invalidClient),
        (#"{"error":"invalid_scope"}"#, 200, .invalidScope), (#"{"error":"odd"}"#, 400, .other("odd")),
    ])
    func `a refusal of the server is an error with its words`(
        text: String, status: Int, code: OAuthError.Code
    ) async throws {
        let server = try LoopbackServer().on(.post, "/token", .json(text: text, status: status))
        let client = OAuthClient(id: "app", server: OAuthServer(tokenURL: server.baseURL.appending(path: "token")))
        let api = DataAPI(baseURL: server.baseURL, authentication: .oauth(OAuthSession(clientCredentials: client)))
        let error = await #expect(throws: OAuthError.self) { try await api.data() }
        #expect(error?.code == code)
        #expect(error?.description.isEmpty == false && error?.errorDescription == error?.description)
    }

    @Test("an answer without a token, another status and a server over plain http are errors")
    func unusable() async throws {
        let server = try LoopbackServer().on(.post, "/token", .json(text: "{}")).on(.post, "/down", .status(503))
        func session(_ path: String) -> Authentication {
            .oauth(
                OAuthSession(
                    clientCredentials: OAuthClient(
                        id: "app", server: OAuthServer(tokenURL: server.baseURL.appending(path: path)))))
        }
        for (path, kind) in [("token", HTTPError.Kind.decoding), ("down", .status(503))] {
            let api = DataAPI(baseURL: server.baseURL, authentication: session(path))
            #expect(await failure { _ = try await api.data() }?.kind == kind)
        }
        let url = try #require(URL(string: "http://login.example.com/token"))
        let insecure = OAuthSession(
            clientCredentials: OAuthClient(id: "app", proof: .post(secret: "s"), server: OAuthServer(tokenURL: url)))
        let api = DataAPI(baseURL: server.baseURL, authentication: .oauth(insecure))
        guard case .insecureCredentials = await failure({ _ = try await api.data() })?.kind else {
            return #expect(Bool(false), "the secret went over plain http")
        }
    }

    @Test("a hundred requests of two sessions with one file renew once, and only the user can read it")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "tokens")
        let server = try TokenServer()
        let stores = [OAuthFileStore(file), OAuthFileStore(file)]
        try stores[0].save(OAuthToken(accessToken: "old", expiration: .distantPast, refreshToken: "r0", scopes: []))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let sessions = stores.map { OAuthSession(client(server), store: $0) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<100 { group.addTask { try await api(server, sessions[index % 2]).data() } }
            for try await text in group { #expect(text == "data") }
        }
        #expect(server.tokenRequests.count == 1)
        #expect(try stores[1].load()?.refreshToken == "r1")
        try stores[0].save(nil)
        try stores[0].save(nil)
        #expect(try stores[1].load() == nil)
        try Data("foreign".utf8).write(to: file)
        let error = await failure { _ = try stores[0].load() }
        #expect(error?.kind == .unreadableFile(file.path))
        for token in [nil, OAuthToken(accessToken: "a")] {
            #expect(await failure { try stores[0].save(token) }?.kind == .unreadableFile(file.path))
        }
        #expect(try Data(contentsOf: file) == Data("foreign".utf8))
    }

    @Test(
        "a file of another user is neither read, replaced nor removed, and the error names it and the way out",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreignFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "to kens")
        let store = OAuthFileStore(file)
        try store.save(OAuthToken(accessToken: "a", refreshToken: "r"))
        let content = try Data(contentsOf: file)
        try #require(chown(file.path, 1, 1) == 0)
        let server = try TokenServer()
        let api = api(server, OAuthSession(client(server), store: store))
        for action in [
            { _ = try store.load() }, { try store.save(nil) }, { try store.save(OAuthToken(accessToken: "b")) },
            { _ = try await api.data() },
        ] as [() async throws -> Void] {
            let error = await failure(action)
            #expect(error?.kind == .unreadableFile(file.path))
            #expect(error?.description.contains("another user") == true)
            #expect(error?.recoverySuggestion?.contains("chown") == true)
        }
        #expect(try Data(contentsOf: file) == content && server.tokenRequests.isEmpty)
        try #require(chown(file.path, 0, 0) == 0)
        #expect(try store.load()?.accessToken == "a")
    }

    @Test("neither a log nor an error shows a token or a secret")
    func secrets() async throws {
        let lines = Lock("")
        let log = EventLog.printing(.bodies) { text in lines.withLock { $0 += text } }
        let server = try LoopbackServer()
        server.on(.post, "/token", .json(text: #"{"access_token":"tok-access","refresh_token":"tok-refresh"}"#))
        server.on(.get, "/data", .status(500))
        let http = HTTPClient(log: log)
        let session = OAuthSession(
            clientCredentials: OAuthClient(
                id: "app", proof: .post(secret: "tok-secret"),
                server: OAuthServer(tokenURL: server.baseURL.appending(path: "token")),
                http: http))
        let api = DataAPI(baseURL: server.baseURL, authentication: .oauth(session), client: http)
        var text = ""
        do { _ = try await api.data() } catch {
            text += "\(error) \(String(reflecting: error))"
            dump(error, to: &text)
        }
        let token = OAuthToken(accessToken: "tok-access", refreshToken: "tok-refresh", scopes: ["read"])
        dump(token, to: &text)
        text += "\(token) \(String(reflecting: token))" + lines.withLock(\.self)
        #expect(text.contains("/token") && text.contains("for read"))
        for secret in ["tok-access", "tok-refresh", "tok-secret"] { #expect(!text.contains(secret), "\(secret)") }
    }
}

/// Holds a response back until it is opened.
private struct Gate: Interceptor {
    let arrived = AsyncStream<Void>.makeStream()
    let opened = AsyncStream<Void>.makeStream()

    func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let response = try await next.proceed(request)
        arrived.continuation.yield()
        for await _ in opened.stream { break }
        return response
    }
}
