import Foundation
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Renewals that fail, and logins meanwhile.
@Suite(.timeLimit(.minutes(3)))
struct OAuthRenewalTests {
    private static let expired = OAuthToken(accessToken: "old", expiration: .distantPast, refreshToken: "r0")

    /// A store that fails, or that another process changes.
    private final class OddStore: OAuthTokenStore {
        struct Full: Error {}
        private let state: Lock<(token: OAuthToken?, failures: Int, next: OAuthToken?)>

        /// The first calls of `save` fail. `next` replaces the tokens after the first call of `load`.
        init(_ token: OAuthToken?, failures: Int = 0, next: OAuthToken? = nil) {
            state = Lock((token, failures, next))
        }

        func load() -> OAuthToken? {
            state.withLock { state in
                defer { state.token = state.next.take() ?? state.token }
                return state.token
            }
        }

        func save(_ token: OAuthToken?) throws {
            try state.withLock { state in
                state.failures -= 1
                if state.failures >= 0 { throw Full() }
                state.token = token
            }
        }
    }

    /// The results of requests that are sent at once.
    private func results(_ count: Int, _ api: DataAPI) async -> [Result<String, any Error>] {
        await withTaskGroup(of: Result<String, any Error>.self) { group in
            for _ in 0..<count {
                group.addTask { do { return .success(try await api.data()) } catch { return .failure(error) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("the refresh token is kept when the answer is lost, and used again", arguments: [true, false])
    func lostAnswer(isReset: Bool) async throws {
        let server = try TokenServer()
        let answer = StubResponse.json(text: #"{"access_token":"a1","refresh_token":"r1"}"#)
        server.loopback.on(.post, "/token", isReset ? answer.resetting(after: 40) : .status(503))
        let store = OAuthMemoryStore(Self.expired)
        let api = server.api(OAuthSession(server.client(), store: store))
        for result in await results(10, api) {
            guard case .failure(let error) = result else { return #expect(Bool(false), "there was no token") }
            #expect(error == HTTPError(isReset ? .connectionLost : .status(503)))
        }
        #expect(store.load() == Self.expired)
        server.loopback.on(.post, "/token") { request in
            #expect(request.form["refresh_token"] == "r0")
            return .json(text: #"{"access_token":"a2","refresh_token":"r2"}"#)
        }
        server.loopback.on(.get, "/data", .text("data"))
        #expect(try await api.data() == "data")
        #expect(store.load()?.refreshToken == "r2")
    }

    @Test("a refresh token that is refused ends the login for all who wait, with one request")
    func refused() async throws {
        let server = try TokenServer()
        let opened = Gate()
        server.loopback.on(.post, "/token") { _ in
            opened.wait()
            return .json(text: #"{"error":"invalid_grant","error_description":"used"}"#, status: 400)
        }
        var token = Self.expired
        token.refreshToken = "stolen"
        // It cannot even be removed.
        let store = OddStore(token, failures: 1)
        let api = server.api(OAuthSession(server.client(), store: store))
        async let results = results(100, api)
        try await eventually("the tokens are renewed") { server.tokenRequests.count == 1 }
        opened.open()
        for result in await results {
            guard case .failure(let error as OAuthError) = result else { return #expect(Bool(false), "\(result)") }
            #expect(error.code == .signInRequired && error.reason == "used")
        }
    }

    @Test("tokens that cannot be saved are kept, and saved before their use")
    func unsaved() async throws {
        let server = try TokenServer()
        let store = OddStore(Self.expired, failures: 2)
        let session = OAuthSession(server.client(), store: store)
        let api = server.api(session)
        for _ in 0..<2 { await #expect(throws: OddStore.Full.self) { try await api.data() } }
        #expect(store.load() == Self.expired)
        #expect(try await api.data() == "data")
        #expect(store.load()?.refreshToken == "r1" && server.tokenRequests.count == 1)
    }

    @Test("a login replaces tokens that could not be saved")
    func unsavedBeforeLogin() async throws {
        let server = try TokenServer()
        let store = OddStore(Self.expired, failures: 1)
        let session = OAuthSession(server.client(), store: store)
        await #expect(throws: OddStore.Full.self) { try await server.api(session).data() }
        try await session.signIn(Self.expired)
        await #expect(throws: OAuthError.self) { try await server.api(session).data() }
        #expect(server.tokenRequests.map { $0.form["refresh_token"] } == ["r0", "r0"])
    }

    @Test("a refresh token that a process without the lock has used gives way to the new one")
    func otherProcess() async throws {
        let server = try TokenServer()
        let stale = OAuthToken(accessToken: "older", expiration: .distantPast, refreshToken: "used")
        server.loopback.on(.get, "/data") { $0.headers["Authorization"] == "Bearer b" ? .text("data") : .status(401) }
        let store = OddStore(stale, next: OAuthToken(accessToken: "b", refreshToken: "s"))
        #expect(try await server.api(OAuthSession(server.client(), store: store)).data() == "data")
        #expect(store.load()?.refreshToken == "s" && server.tokenRequests.count == 1)
    }

    @Test("a login comes after a renewal in progress, and its tokens stay")
    func loginMeanwhile() async throws {
        let server = try TokenServer()
        let opened = Gate()
        server.loopback.on(.post, "/token") { _ in
            opened.wait()
            return .json(text: #"{"error":"invalid_grant"}"#, status: 400)
        }
        server.loopback.on(.get, "/data") { $0.headers["Authorization"] == "Bearer b" ? .text("data") : .status(401) }
        let folder = try TemporaryFolder()
        let store = OAuthFileStore(folder.file("tokens"))
        try store.save(Self.expired)
        let session = OAuthSession(server.client(), store: store)
        async let results = results(20, server.api(session))
        try await eventually("the tokens are renewed") { server.tokenRequests.count == 1 }
        async let login: Void = session.signIn(OAuthToken(accessToken: "b", refreshToken: "s"))
        opened.open()
        try await login
        for result in await results {
            if case .failure(let error) = result { #expect((error as? OAuthError)?.code == .signInRequired) }
        }
        #expect(try await server.api(session).data() == "data")
        #expect(try store.load()?.refreshToken == "s" && server.tokenRequests.count == 1)
    }

    @Test("a newer refresh token of another process is used, and not removed, if its access token has expired")
    func newerButExpired() async throws {
        let server = try TokenServer()
        let stale = OAuthToken(accessToken: "older", expiration: .distantPast, refreshToken: "used")
        let store = OddStore(stale, next: Self.expired)
        #expect(try await server.api(OAuthSession(server.client(), store: store)).data() == "data")
        #expect(store.load()?.refreshToken == "r1")
        #expect(server.tokenRequests.map { $0.form["refresh_token"] } == ["used", "r0"])
    }

    @Test(
        "a server's own words for a refused token end the login",
        arguments: ["bad_refresh_token", "invalid_refresh_token"])
    func ownWords(error: String) async throws {
        let server = try TokenServer()
        server.loopback.on(.post, "/token", .json(text: #"{"error":"\#(error)"}"#))
        let store = OAuthMemoryStore(Self.expired)
        let found = await #expect(throws: OAuthError.self) {
            try await server.api(OAuthSession(server.client(), store: store)).data()
        }
        #expect(found?.code == .signInRequired && store.load() == nil)
    }

    @Test("an empty refresh token is none, scopes may have commas, and the ID token is kept")
    func oddAnswers() async throws {
        let server = try TokenServer()
        server.loopback.on(
            .post, "/token",
            .json(
                text: #"{"access_token":"a","refresh_token":"","scope":"repo,gist","id_token":"i","token_type":"bot"}"#),
            .json(text: #"{"access_token":"b"}"#))
        server.loopback.on(.get, "/data") { $0.headers["Authorization"] == "Bearer b" ? .text("data") : .status(401) }
        let store = OAuthMemoryStore(Self.expired)
        let api = server.api(OAuthSession(server.client(), store: store))
        #expect(try await api.data() == "data")
        #expect(
            store.load()
                == OAuthToken(accessToken: "b", refreshToken: "r0", scopes: ["repo", "gist"], idToken: "i"))
    }

    @Test("a token that is no bearer token is refused", arguments: ["DPoP", "mac"])
    func otherTypes(type: String) async throws {
        let server = try TokenServer()
        server.loopback.on(.post, "/token", .json(text: #"{"access_token":"a","token_type":"\#(type)"}"#))
        let error = await #expect(throws: HTTPError.self) {
            try await server.api(OAuthSession(clientCredentials: server.client())).data()
        }
        #expect(error?.kind == .decoding && error?.description.contains(type) == true)
    }

    @Test("a file store makes its folder, and a lock file that was removed is made again")
    func missingFolder() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("deep").appending(path: "er").appending(path: "tokens")
        let session = OAuthSession(try TokenServer().client(), store: OAuthFileStore(file))
        try await session.signIn(Self.expired)
        let lock = file.path + ".lock"
        #expect(try FileManager.default.attributesOfItem(atPath: lock)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.removeItem(atPath: lock)
        try await session.signOut()
        #expect(!FileManager.default.fileExists(atPath: file.path) && FileManager.default.fileExists(atPath: lock))
    }

    @Test(
        "a lifetime that makes no sense is none: the token is used until it is refused",
        arguments: [
            ("100", 2), (#""100""#, 2), ("100.5", 2), ("0", 1), ("-1", 1), (nil, 1), ("null", 1), (#""soon""#, 1),
            (#""nan""#, 1), ("1e400", 1), (#""inf""#, 1), ("true", 1),
        ])
    func lifetimes(lifetime: String?, requests: Int) async throws {
        let (server, clock) = (try TokenServer(lifetime: lifetime), ManualClock())
        let api = server.api(OAuthSession(clientCredentials: server.client(clock: clock)))
        for _ in 0..<3 { #expect(try await api.data() == "data") }
        clock.advance(by: .seconds(101))
        for _ in 0..<3 { #expect(try await api.data() == "data") }
        #expect(server.tokenRequests.count == requests)
    }

    @Test(
        "tokens that expire at the end of time, or at none, can be used",
        arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func oddDates(seconds: Double) async throws {
        let server = try TokenServer()
        server.loopback.on(.get, "/data", .text("data"))
        let token = OAuthToken(
            accessToken: "a", expiration: Date(timeIntervalSinceReferenceDate: seconds), refreshToken: "r0")
        let session = OAuthSession(server.client())
        try await session.signIn(token)
        #expect(try await server.api(session).data() == "data")
    }
}
