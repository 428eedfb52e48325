import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Cookies, over the wire.
@Suite(.timeLimit(.minutes(3)))
struct CookieTests {
    struct API: HTTPProvider {
        let baseURL: URL
        var client: HTTPClient
        var authentication = Authentication.none
    }

    private let server: LoopbackServer
    private let jar = CookieJar()

    init() throws { server = try LoopbackServer().on(.get, "/*") { .text($0.headers["Cookie"] ?? "none") } }

    private func api(_ authentication: Authentication = .none, retry: RetryPolicy = .never) -> API {
        API(
            baseURL: server.baseURL, client: HTTPClient(configuration: .init(retry: retry, cookies: jar)),
            authentication: authentication)
    }

    private func text(_ path: String, headers: HTTPHeaders = [:]) async throws -> String {
        try await api().request(Route(path: RoutePath(verbatim: path), headers: headers)).text()
    }

    /// Returns a client for which the given names under `.example` resolve to this machine.
    private func named(_ names: String...) -> HTTPClient {
        let addresses = names.map { ("\($0):\(server.port)", ["127.0.0.1"]) }
        return HTTPClient(
            engine: EngineConfiguration(proxy: .direct, addresses: Dictionary(uniqueKeysWithValues: addresses)),
            configuration: .init(cookies: jar))
    }

    @Test("without a jar no cookies are kept; with one, the next request sends the cookies of a response")
    func kept() async throws {
        server.on(
            .get, "/login",
            .status(204, headers: ["Set-Cookie": "id=1; HttpOnly", "set-cookie": "b=\"2 3\"; Path=/b", "X": "a=b"]))
        var silent = api()
        silent.client = HTTPClient()
        try await silent.request(Route(path: "/login")).void()
        #expect(try await silent.request(Route(path: "/x")).text() == "none")
        try await api().request(Route(path: "/login")).void()
        #expect(try await text("/x") == "id=1")
        #expect(try await text("/b") == "b=\"2 3\"; id=1")
        #expect(jar.cookies.map(\.domain) == ["127.0.0.1", "127.0.0.1"] && jar.cookies[0].isHTTPOnly)
    }

    @Test("a request's own Cookie header replaces the cookies from the jar")
    func own() async throws {
        server.on(.get, "/login", .status(204, headers: ["Set-Cookie": "id=1"]))
        try await api().request(Route(path: "/login", headers: ["Cookie": "mine=1"])).void()
        #expect(try await text("/x", headers: ["Cookie": "mine=2"]) == "mine=2")
        #expect(
            server.requests.map { $0.headers["Cookie"] } == ["mine=1", "mine=2"] && jar.cookies.map(\.name) == ["id"])
    }

    @Test("each redirect stores its cookies and sends those that match its host")
    func redirects() async throws {
        let port = server.port
        server.on(
            .get, "/start",
            .status(
                302,
                headers: [
                    "Location": "http://id.shop.example:\(port)/id", "Set-Cookie": "all=1; Domain=shop.example",
                    "Set-Cookie": "www=1",
                ]))
        server.on(
            .get, "/id",
            .status(303, headers: ["Location": "http://evil.example:\(port)/evil", "Set-Cookie": "id=1; Path=/"]))
        server.on(
            .get, "/evil",
            .status(
                307,
                headers: [
                    "Location": "http://www.shop.example:\(port)/end", "Set-Cookie": "all=bad; Domain=shop.example",
                    "Set-Cookie": "all=bad; Domain=example", "Set-Cookie": "evil=1",
                ]))
        let client = named("www.shop.example", "id.shop.example", "evil.example")
        let url = try #require(URL(string: "http://www.shop.example:\(port)/start"))
        let response = try await client.send(HTTPRequest(.get, url, headers: ["Cookie": "own=1"]))
        #expect(response.text == "all=1; www=1" && response.redirects.count == 3)
        #expect(server.requests.map { $0.headers["Cookie"] } == ["own=1", "all=1", nil, "all=1; www=1"])
        #expect(
            jar.cookies.map { "\($0.name) \($0.domain)" } == [
                "all shop.example", "www www.shop.example", "id id.shop.example", "evil evil.example",
            ])
    }

    @Test("a 401 and a 503 can set cookies, and the next attempt sends them")
    func attempts() async throws {
        server.on(.get, "/guarded") { request in
            guard request.headers["Authorization"] != nil else {
                let fields: HTTPHeaders = [
                    "WWW-Authenticate": #"Digest realm="r", nonce="n""#, "Set-Cookie": "nonce=1",
                ]
                return .status(401, headers: fields)
            }
            return .text(request.headers["Cookie"] ?? "none")
        }
        let digest = api(.digest(user: "Ann", password: "x"))
        #expect(try await digest.request(Route(path: "/guarded")).text() == "nonce=1")
        server.on(.get, "/busy") { request in
            request.headers["Cookie"] == "nonce=1; seat=2"
                ? .text("in") : .status(503, retryAfter: 0, headers: ["Set-Cookie": "seat=2"])
        }
        #expect(try await api(retry: .upTo(attempts: 2)).request(Route(path: "/busy")).text() == "in")
    }

    @Test("network interceptors see the cookies, and responses they return can set cookies")
    func interceptors() async throws {
        struct Seeing: Interceptor {
            let log: Log<String>
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                log.add(request.headers["Cookie"] ?? "none")
                return HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"], url: request.url)
            }
        }
        let log = Log<String>()
        var api = api()
        api.client = HTTPClient(networkInterceptors: [Seeing(log: log)], configuration: .init(cookies: jar))
        for _ in 0..<2 { try await api.request(Route(path: "/x")).void() }
        #expect(log.entries == ["none", "a=1"] && server.requests.isEmpty)
    }

    @Test("cookies reach the file before the response is delivered, and the next client loads them")
    func file() async throws {
        let folder = try TemporaryFolder()
        server.on(
            .get, "/login", .status(204, headers: ["Set-Cookie": "id=1; Max-Age=60; Path=/", "Set-Cookie": "s=2"]))
        var api = api()
        api.client = HTTPClient(configuration: .init(cookies: try CookieJar(file: folder.file("jar"))))
        try await api.request(Route(path: "/login")).void()
        #expect(try await api.request(Route(path: "/x")).text() == "id=1; s=2")
        api.client = HTTPClient(configuration: .init(cookies: try CookieJar(file: folder.file("jar"))))
        #expect(try await api.request(Route(path: "/x")).text() == "id=1")
        #expect(try folder.names == ["jar"])
    }

    @Test("each of a thousand concurrent responses stores its cookie before delivery")
    func together() async throws {
        server.on(.get, "/set/{n}") { request in
            .status(200, headers: ["Set-Cookie": "c\(request.path.suffix(2))=\(request.path.dropFirst(5)); Path=/"])
        }
        let api = api()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1000..<2000 { group.addTask { try await api.request(Route(path: "/set/\(number)")).void() } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 1000 && jar.cookies.count == 50)
        #expect(try await text("/x").split(separator: "; ").count == 50)
    }

    @Test(
        "a cookie's value never appears in a log, an error, a description or a curl command", .faults(55),
        arguments: Engine.wire)
    func secrets(engine: Engine) async throws {
        let seen = Log<String>()
        // URLSession joins both fields, and finds the second cookie only if it has a name.
        let second = engine == .urlSession ? "n=s3cr3t-2" : "s3cr3t-2"
        server.on(
            .get, "/login", .status(204, headers: ["Set-Cookie": "id=s3cr3t-1d; Path=/", "Set-Cookie": second]))
        server.on(.get, "/bad") { .text("what is \($0.headers["Cookie"] ?? "?")", status: 500) }
        server.on(.get, "/away", .status(302, headers: ["Location": "ftp://x/", "Set-Cookie": "id=s3cr3t-1d; Path=/"]))
        var api = api()
        api.client = engine.client(.init(cookies: jar), log: .custom { seen.add($0.text(.bodies)) })
        try await api.request(Route(path: "/login")).void()
        for path in ["/bad", "/away"] {
            do { try await api.request(Route(path: RoutePath(verbatim: path))).void() } catch let error as HTTPError {
                seen.add("\(error) \(String(reflecting: error)) \(error.localizedDescription)")
                seen.add("\(error.response.map { "\($0)" } ?? "") \(error.request?.curlCommand() ?? "")")
                #expect(error.response?.text.contains("s3cr3t") ?? true || path == "/away")
            }
        }
        #expect(server.requests.last?.headers["Cookie"]?.contains("s3cr3t-2") == true && seen.entries.count >= 9)
        for text in seen.entries { #expect(!text.contains("s3cr3t"), "\(text)") }
    }
}
