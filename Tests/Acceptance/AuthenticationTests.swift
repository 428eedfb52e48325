import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Credentials, over the wire.
@Suite(.timeLimit(.minutes(3)))
struct AuthenticationTests {
    struct API: HTTPProvider {
        let baseURL: URL
        var authentication = Authentication.none
        var client = HTTPClient.shared
    }

    private let server: LoopbackServer

    init() throws { server = try LoopbackServer().on(.get, "/me", .text("me")) }

    private func api(_ authentication: Authentication, over engine: Engine? = nil) -> API {
        API(
            baseURL: server.baseURL, authentication: authentication,
            client: engine.map { $0.client() } ?? HTTPClient.shared)
    }

    @Test("sends basic, bearer and API key credentials with every request of their provider, and no other")
    func fixed() async throws {
        try await api(.basic(user: "Ann", password: "ö:x", allowsHTTP: true)).request(.me).void()
        #expect(server.requests.last?.headers["Authorization"] == "Basic QW5uOsO2Ong=")
        try await api(.bearer("t0k")).request(.me).void()
        #expect(server.requests.last?.headers["Authorization"] == "Bearer t0k")
        try await api(.apiKey("k y", header: "X-API-Key")).request(.me).void()
        #expect(server.requests.last?.headers["X-API-Key"] == "k y")
        try await api(.apiKey("k&y", query: "key")).request(Route(path: "/me?x=1")).void()
        #expect(server.requests.last?.target == "/me?x=1&key=k%26y")
        let other = try LoopbackServer().on(.get, "/me", .text("me"))
        try await api(.bearer("t0k")).request(Route(url: other.baseURL.appending(path: "me"))).void()
        #expect(other.requests.last?.headers["Authorization"] == nil)
    }

    @Test("rejects a user name that contains a colon")
    func colon() async throws {
        let colon = Authentication.basic(user: "a:b", password: "x")
        #expect(await failure { try await api(colon).request(.me).void() }?.kind == .encoding("user"))
        #expect(server.requests.isEmpty)
    }

    private struct OwnScheme: Authenticator {
        func authenticate(_ request: inout HTTPRequest) { request.headers[.authorization] = "Own s3cret" }
        func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
    }

    private static let schemes: [@Sendable (Bool) -> Authentication] = [
        { .basic(user: "Ann", password: "s3cret", allowsHTTP: $0) }, { .bearer("s3cret", allowsHTTP: $0) },
        { .bearer(TokenSource("s3cret") { _ in "s3cret" }, allowsHTTP: $0) },
        { .bearer(TokenSource { _ in "s3cret" }, allowsHTTP: $0) },
        { .apiKey("s3cret", header: "X-API-Key", allowsHTTP: $0) }, { .apiKey("s3cret", query: "key", allowsHTTP: $0) },
        { .digest(user: "Ann", password: "s3cret", allowsHTTP: $0) }, { Authentication(OwnScheme(), allowsHTTP: $0) },
    ]

    @Test(
        "credentials are never sent over plain http to another machine by default (RFC 6750 section 5.3)",
        arguments: schemes.indices)
    func insecure(index: Int) async throws {
        let stub = StubTransport().on(.get, "/*", .status(204))
        func send(to base: String, allowsHTTP: Bool) async throws {
            let url = try #require(URL(string: base))
            let authentication = Self.schemes[index](allowsHTTP)
            let api = API(baseURL: url, authentication: authentication, client: HTTPClient(transport: stub))
            try await api.request(.me).void()
        }
        for base in [
            "http://api.example.com", "http://localhost.example.com", "http://127.0.0.1.example.com:8080",
            "http://10.0.0.1", "http://[::2]",
        ] {
            let error = await failure { try await send(to: base, allowsHTTP: false) }
            #expect(error?.kind == .insecureCredentials(base))
            #expect(error?.suggestion?.contains("allowsHTTP: true") == true)
        }
        #expect(stub.requests.isEmpty)
        for base in [
            "https://api.example.com", "http://localhost", "http://LOCALHOST:8080", "http://api.localhost",
            "http://127.0.0.1:1", "http://[::1]:1",
        ] { try await send(to: base, allowsHTTP: false) }
        try await send(to: "http://api.example.com", allowsHTTP: true)
        #expect(stub.requests.count == 7)
    }

    @Test(
        "a redirect to another origin carries no credentials, and its 401 does not renew the token", .faults(51),
        arguments: Engine.wire)
    func foreign(engine: Engine) async throws {
        let renewals = Counter()
        let tokens = TokenSource("old") { _ in
            renewals.increment()
            return "new"
        }
        let other = try LoopbackServer().on(.get, "/x", .status(401))
        server.on(.get, "/away", .status(302, headers: ["Location": "\(other.baseURL)/x"]))
        let error = await failure { try await api(.bearer(tokens), over: engine).request(Route(path: "/away")).void() }
        #expect(error?.kind == .status(401) && renewals.count == 0)
        #expect(other.requests[0].headers["Authorization"] == nil)
        other.on(.get, "/back", .status(302, headers: ["Location": "\(server.baseURL)/me"]))
        server.on(.get, "/away", .status(302, headers: ["Location": "\(other.baseURL)/back"]))
        try await api(.bearer(tokens), over: engine).request(Route(path: "/away")).void()
        #expect(server.requests.last?.headers["Authorization"] == nil)
    }

    /// Takes one token.
    private func guarded(by good: String) {
        server.on(.get, "/guarded") { $0.headers["Authorization"] == "Bearer \(good)" ? .text("in") : .status(401) }
    }

    @Test("500 requests that get a 401 renew the token once, and all succeed", .faults(49), arguments: Engine.wire)
    func renewed(engine: Engine) async throws {
        guarded(by: "new")
        let renewals = Counter()
        let tokens = TokenSource("old") { refused in
            #expect(refused == "old")
            renewals.increment()
            try await eventually("all requests are rejected") { server.requests.count >= 500 }
            return "new"
        }
        let api = api(.bearer(tokens), over: engine)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<500 { group.addTask { try await api.request(Route(path: "/guarded")).text() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "in", count: 500))
        #expect(renewals.count == 1 && tokens.token == "new")
        #expect(server.requests.count <= 1000)
    }

    @Test(
        "the first request without a token obtains one; a second rejection fails with the 401", .faults(49),
        arguments: Engine.wire)
    func made(engine: Engine) async throws {
        guarded(by: "good")
        let renewals = Counter()
        let tokens = TokenSource { _ in
            renewals.increment()
            return "bad"
        }
        let error = await failure {
            try await api(.bearer(tokens), over: engine).request(Route(path: "/guarded")).void()
        }
        #expect(error?.kind == .status(401) && error?.sendCount == 2)
        #expect(renewals.count == 2 && server.requests.count == 2)
        tokens.token = "good"
        try await api(.bearer(tokens), over: engine).request(Route(path: "/guarded")).void()
        #expect(renewals.count == 2)
    }

    @Test("a one-shot body is not sent again, but the token is renewed for the next request")
    func readOnce() async throws {
        let server = try LoopbackServer().on(.post, "/") { request in
            .status(request.headers["Authorization"] == "Bearer new" ? 204 : 401)
        }
        let tokens = TokenSource("old") { _ in "new" }
        let api = API(baseURL: server.baseURL, authentication: .bearer(tokens))
        func send() async throws {
            let chunks = AsyncStream {
                $0.yield(Data("body".utf8)); $0.finish()
            }
            try await api.request(Route(path: "/", method: .post, body: .stream(chunks))).void()
        }
        await #expect(throws: HTTPError.status(401)) { try await send() }
        #expect(tokens.token == "new" && server.requests.count == 1)
        try await send()
        #expect(server.requests.count == 2)
    }

    @Test("a renewal request does not wait for its own token; its failure reaches each waiting request once")
    func failed() async throws {
        guarded(by: "new")
        server.on(.get, "/renew", .status(401), .status(500), .json("new"))
        let box = Lock<API?>(nil)
        let renewals = Counter()
        let tokens = TokenSource("old") { _ in
            renewals.increment()
            guard let api = box.withLock({ $0 }) else { throw CancellationError() }
            return try await api.request(Route(path: "/renew")).object(String.self)
        }
        let api = api(.bearer(tokens))
        box.withLock { $0 = api }
        defer { box.withLock { $0 = nil } }
        for status in [401, 500] {
            let error = await failure { try await api.request(Route(path: "/guarded")).void() }
            #expect(error?.kind == .status(status))
        }
        try await api.request(Route(path: "/guarded")).void()
        #expect(renewals.count == 3)
        let renewing = server.requests.filter { $0.path == "/renew" }
        #expect(renewing.count == 3 && renewing.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test("a renewal continues after the request that began it is canceled; that request ends immediately")
    func cancelled() async throws {
        guarded(by: "new")
        let (started, gate) = (Counter(), Lock<CheckedContinuation<Void, Never>?>(nil))
        let tokens = TokenSource("old") { _ in
            await withCheckedContinuation { continuation in
                gate.withLock { $0 = continuation }
                started.increment()
            }
            return "new"
        }
        let api = api(.bearer(tokens))
        let first = Task { try await api.request(Route(path: "/guarded")).void() }
        try await eventually("the renewal has begun") { started.count == 1 }
        async let second: Void = api.request(Route(path: "/guarded")).void()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        try await eventually("the second has been refused too") { server.requests.count == 2 }
        gate.withLock { $0 }?.resume()
        try await second
        #expect(started.count == 1 && tokens.token == "new")
    }

    @Test("digest authentication is challenged once, counts up the nonce and replaces a stale one")
    func digest() async throws {
        server.on(.get, "/dir/x") { request in
            guard let answer = request.headers["Authorization"], answer.hasPrefix("Digest "),
                answer.contains(#"uri="/dir/x?q=1""#), answer.contains("algorithm=SHA-256")
            else {
                return .status(
                    401,
                    headers: [
                        "WWW-Authenticate":
                            #"Basic realm="b", Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#
                    ])
            }
            if answer.contains("nc=00000003") {
                return .status(
                    401,
                    headers: [
                        "WWW-Authenticate": #"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256, stale=true"#
                    ])
            }
            return .text("in")
        }
        let api = api(.digest(user: "Mufasa", password: "Circle of Life"))
        for _ in 0..<3 { #expect(try await api.request(Route(path: "/dir/x?q=1")).text() == "in") }
        let counts = server.requests.map {
            $0.headers["Authorization"].flatMap { $0.firstMatch(of: /nonce="(n.)".*nc=([0-9]*)/) }
        }
        #expect(
            counts.map { $0.map { "\($0.1) \($0.2)" } } == [
                nil, "n1 00000001", "n1 00000002", "n1 00000003", "n2 00000001",
            ])
        let wrong = self.api(.digest(user: "x", password: "y"))
        server.on(.get, "/no", .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n""#]))
        let error = await failure { try await wrong.request(Route(path: "/no")).void() }
        #expect(error?.kind == .status(401) && error?.sendCount == 2)
    }

    @Test(
        "credentials never appear in a log, an error, a description or a curl command", .faults(55),
        arguments: Engine.wire)
    func secrets(engine: Engine) async throws {
        let seen = Log<String>()
        server.on(.get, "/me", .status(500))
        for authentication in [
            Authentication.bearer("s3cr3t-t0ken"), .basic(user: "Ann", password: "s3cr3t-w0rd", allowsHTTP: true),
            .apiKey("s3cr3t-k3y", query: "k"), .apiKey("s3cr3t-k3y", header: "X-Odd"),
        ] {
            var api = api(authentication)
            api.client = engine.client(log: .custom { seen.add($0.text(.bodies)) })
            do { try await api.request(.me).void() } catch {
                seen.add("\(error) \(String(reflecting: error)) \(error.localizedDescription)")
            }
        }
        #expect(seen.entries.count >= 12)
        for text in seen.entries {
            #expect(
                !text.contains("s3cr3t") && !text.contains(Data("Ann:s3cr3t-w0rd".utf8).base64EncodedString()),
                "\(text)")
        }
    }

    @Test("a custom authenticator is called for each attempt, and once after a 401")
    func own() async throws {
        struct Nonce: Authenticator {
            let log: Log<String>
            func authenticate(_ request: inout HTTPRequest) async throws {
                request.headers["X-Nonce"] = "\(log.entries.count)"
                log.add("authenticate")
            }
            func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
                log.add("recover \(request.headers["X-Nonce"] ?? "")")
                return true
            }
        }
        server.on(.get, "/me", .status(401))
        let log = Log<String>()
        #expect(await failure { try await api(.init(Nonce(log: log))).request(.me).void() }?.kind == .status(401))
        #expect(log.entries == ["authenticate", "recover 0", "authenticate"])
    }
}
