import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard

/// Hosts that are reached over https only (RFC 6797).
@Suite(.timeLimit(.minutes(3)))
struct HSTSTests {
    private let temporary: TemporaryFolder
    private let clock = ManualClock()
    private let store = HSTSStore()
    /// Answers for all hosts.
    private let web = StubTransport()
    private let client: HTTPClient

    init() throws {
        client = HTTPClient(transport: web, configuration: .init(policies: [.hsts(store)]), clock: clock)
        temporary = try TemporaryFolder()
        let stays = StubResponse.status(302, headers: ["Location": "http://a.example/there"])
        web.on(.get, "/in", .text("", headers: ["Strict-Transport-Security": "max-age=100; includeSubDomains"]))
            .on(.get, "/host", .text("", headers: ["Strict-Transport-Security": "max-age=100"]))
            .on(.get, "/out", .text("", headers: ["Strict-Transport-Security": "max-age=0"]))
            .on(.get, "/stays", stays).on(.get, "/{path}", .text("ok"))
    }

    /// Sends requests one after the other, and returns the URL of the last response.
    private func last(_ urls: String...) async throws -> String {
        var last = ""
        for text in urls {
            last = try await client.send(HTTPRequest(.get, #require(URL(string: text)))).url.absoluteString
        }
        return last
    }

    @Test(arguments: [
        ("https://a.example/host", "http://a.example/x?y=1", "https://a.example/x?y=1"),
        ("https://a.example/host", "http://a.example:80/x", "https://a.example/x"),
        ("https://a.example/host", "http://a.example:8080/x", "https://a.example:8080/x"),
        ("https://a.example/host", "http://a.example./x", "https://a.example./x"),
        ("https://a.example/host", "http://b.a.example/x", "http://b.a.example/x"),
        ("https://a.example/in", "http://b.a.example/x", "https://b.a.example/x"),
        ("https://a.example/in", "http://ba.example/x", "http://ba.example/x"),
        ("http://a.example/in", "http://a.example/x", "http://a.example/x"),
        ("https://127.0.0.1/in", "http://127.0.0.1/x", "http://127.0.0.1/x"),
        ("https://[::1]/in", "http://[::1]/x", "http://[::1]/x"),
    ])
    func `a host is reached over https after it has asked for that over https`(
        first: String, second: String, sent: String
    ) async throws {
        #expect(try await last(first, second) == sent)
    }

    @Test func `the time ends, and the host can end it`() async throws {
        #expect(
            try await last("https://a.example/host", "https://a.example/out", "http://a.example/x").hasPrefix("http:"))
        #expect(try await last("https://a.example/host", "http://a.example/x").hasPrefix("https:"))
        clock.advance(by: .seconds(101))
        #expect(try await last("http://a.example/x").hasPrefix("http:"))
    }

    @Test func `a redirect to http is followed over https`() async throws {
        _ = try await last("https://a.example/host")
        #expect(try await last("http://a.example/stays") == "https://a.example/there")
        await #expect(throws: HTTPError(.insecureRedirect("http://a.example"))) {
            try await HTTPClient(transport: web).send(
                HTTPRequest(.get, #require(URL(string: "https://b.example/stays"))))
        }
    }

    @Test func `credentials and secure cookies go along, over https alone`() async throws {
        let jar = CookieJar()
        var configuration = HTTPClient.Configuration(cookies: jar, policies: [.hsts(store)])
        configuration.redirects = .never
        let api = TestAPI(
            baseURL: try #require(URL(string: "http://a.example")),
            client: HTTPClient(transport: web, configuration: configuration), authentication: .bearer("t0ken"))
        _ = try await last("https://a.example/host")
        try jar.set(Cookie("a", "1", domain: "a.example", isHostOnly: true, isSecure: true))
        try await api.request(Route(path: "/x")).void()
        let sent = try #require(web.requests.last)
        #expect(sent.headers["Authorization"] == "Bearer t0ken" && sent.headers["Cookie"] == "a=1")
    }

    @Test func `a file keeps the hosts, for its user alone`() async throws {
        let file = temporary.file("hsts.json")
        func client() throws -> HTTPClient {
            try HTTPClient(transport: web, configuration: .init(policies: [.hsts(HSTSStore(file: file))]))
        }
        _ = try await client().send(HTTPRequest(.get, #require(URL(string: "https://a.example/in"))))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let response = try await client().send(HTTPRequest(.get, #require(URL(string: "http://b.a.example/x"))))
        #expect(response.url.absoluteString == "https://b.a.example/x")
        try Data("{}".utf8).write(to: file)
        #expect(throws: HTTPError(.unreadableFile(file.path()))) { try HSTSStore(file: file) }
        #expect(try Data(contentsOf: file) == Data("{}".utf8))
    }

    @Test func `over a connection`() async throws {
        let server = try LoopbackServer(certificate: .valid)
            .on(.get, "/in", .text("", headers: ["Strict-Transport-Security": "max-age=100"]))
            .on(.get, "/x", .text("ok"))
        let root = try temporary.write(Data(#require(server.rootCertificate).utf8), to: "root.pem")
        let client = HTTPClient(
            engine: EngineConfiguration(tls: .init(roots: .file(root))),
            configuration: .init(policies: [.hsts(store)]))
        for (scheme, path) in [("https", "in"), ("http", "x")] {
            let url = try #require(URL(string: "\(scheme)://localhost:\(server.port)/\(path)"))
            #expect(try await client.send(HTTPRequest(.get, url)).url.scheme == "https")
        }
    }

    @Test func `the number of hosts has a limit`() throws {
        var hosts = SecureHosts()
        for number in 0...SecureHost.limit {
            let field = try #require(StrictTransportField("max-age=\(1000 + number)"))
            hosts.learn(field, from: "\(number).example", Date())
        }
        #expect(hosts.all.count == SecureHost.limit && !hosts.contains("0.example", Date()))
    }

    @Test(arguments: [
        ("max-age=1", 1), ("max-age=9999999999999999999999", 999_999_999_999_999_999), ("MAX-AGE = \"1\" ;", 1),
        (" ; ;x;y=\"a;b\";max-age=1", 1), ("", nil), ("max-age", nil),
        ("max-age=", nil), ("max-age=-1", nil), ("max-age=1; max-age=1", nil), ("max-age=1 x", nil),
        ("max-age=\"1", nil), ("includeSubDomains", nil),
    ])
    func `a header counts only if it is valid`(field: String, maxAge: Int64?) {
        #expect(StrictTransportField(field)?.maxAge == maxAge)
    }
}
