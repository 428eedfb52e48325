import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Redirects as servers send them, good and bad, over every engine.
@Suite(.timeLimit(.minutes(3)))
struct RedirectFaultTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private static let methods: [HTTPMethod] = [.get, .post, .put, .head]

    @Test(
        "each status sets the method, the body and its headers as the Fetch standard says", .faults(50),
        arguments: Engine.wire,
        [301, 302, 303, 307, 308])
    func table(engine: Engine, status: Int) async throws {
        for method in Self.methods {
            server.on(method, "/api/a", .status(status, headers: ["Location": "/there"]))
                .on(method, "/there", .status(200))
        }
        let api = TestAPI(server, over: engine)
        for method in Self.methods {
            let body: RouteBody? = method == .post || method == .put ? .text("body") : nil
            let response = try await api.request(Route(path: "a", method: method, body: body)).response()
            #expect(response.sendCount == 2 && response.redirects.map(\.status) == [status])
            let (sent, kept) = (try #require(server.requests.last), status >= 307)
            // HTTP-redirect fetch, step 12: POST by 301 and 302, and all but GET and HEAD by 303.
            let becomesGet = status == 303 ? body != nil : status < 303 && method == .post
            #expect(sent.path == "/there" && sent.method == (becomesGet ? .get : method))
            #expect(sent.text == (body == nil || becomesGet ? "" : "body"), "\(method) \(status)")
            #expect(sent.headers.contains("Content-Type") == (body != nil && !becomesGet))
            #expect(!kept || sent.method == method)
        }
    }

    @Test(
        "a redirect to another host or port, and back, carries no credentials, secrets or Referer", .faults(51),
        arguments: Engine.wire)
    func secrets(engine: Engine) async throws {
        struct API: HTTPProvider {
            let baseURL: URL
            let additionalHeaders = ["X-Own": "s3cret", "X-Api-Key": "s3cret", "Accept-Language": "en"]
            let secretNames = ["x-own"]
            let authentication = Authentication.bearer("s3cret")
            let client: HTTPClient
        }
        let other = try LoopbackServer()
        let host = "http://localhost:\(other.port)"
        server.on(.get, "/port", .status(302, headers: ["Location": "\(other.baseURL)/back"]))
            .on(.get, "/host", .status(307, headers: ["Location": "\(host)/back"]))
            .on(.get, "/here", .status(301, headers: ["Location": "/end"])).on(.get, "/end", .status(200))
        other.on(.get, "/back", .status(308, headers: ["Location": "\(server.baseURL)/end"]))
        let api = API(baseURL: server.baseURL, client: engine.client())
        for path in ["/port", "/host"] {
            try await api.request(Route(path: RoutePath(verbatim: path), headers: ["Cookie": "id=s3cret"])).void()
        }
        let foreign = other.requests + server.requests.filter { $0.path == "/end" }
        #expect(foreign.count == 4)
        for request in foreign {
            #expect(request.headers["Accept-Language"] == "en")
            #expect(!request.headers.contains { $0.value.contains("s3cret") }, "\(request.headers)")
        }
        try await api.request(Route(path: "/here", headers: ["Cookie": "id=s3cret"])).void()
        let own = try #require(server.requests.last).headers
        #expect(["Authorization", "Cookie", "X-Own", "X-Api-Key"].allSatisfy { own[$0]?.contains("s3cret") == true })
        #expect(!(server.requests + other.requests).contains { $0.headers.contains("Referer") })
    }

    @Test("a redirect from https to http is refused, and nothing is sent there", .faults(52))
    func downgrade() async throws {
        let stub = StubTransport().on(.get, "/v1/a", .status(302, headers: ["Location": "http://api.example.com/b"]))
            .on(.get, "/b", .status(200))
        let error = await failure { try await TestAPI(stub).request(Route(path: "a")).void() }
        #expect(error == HTTPError(.insecureRedirect("http://api.example.com")))
        #expect(stub.requests.count == 1)
    }

    @Test(
        "redirects to other schemes and to ambiguous URLs are refused", .faults(53), arguments: Engine.wire,
        [
            "file:///etc/passwd", "data:text/plain,x", "ftp://127.0.0.1/x", "javascript:alert(1)", "mailto:a@b.c",
            "http://a.com\\@127.0.0.1/", "http://user:s3cret@127.0.0.1/x", "http://127.0.0.1:99999/", "http:///x",
        ])
    func schemes(engine: Engine, location: String) async throws {
        server.on(.get, "/api/a", .status(302, headers: ["Location": location]))
        let error = try #require(
            await failure { try await TestAPI(server, over: engine).request(Route(path: "a")).void() })
        guard case .invalidURL = error.kind else {
            Issue.record("\(location) is \(error)")
            return
        }
        #expect(error.reason?.contains("Location") == true && error.response?.status == 302)
        #expect(!"\(error)".contains("s3cret"))
        #expect(server.requests.count == 1)
    }

    @Test("a redirect loop ends at the client's limit", .faults(54), arguments: Engine.wire)
    func pingPong(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(302, headers: ["Location": "b"]))
            .on(.get, "/api/b", .status(302, headers: ["Location": "a"]))
        let api = TestAPI(server).with(\.client, engine.client(.init(redirects: .follow(limit: 5))))
        let error = await failure { try await api.request(Route(path: "a")).void() }
        #expect(error == HTTPError(.tooManyRedirects(limit: 5)) && error?.sendCount == 6)
        #expect(server.requests.count == 6)
    }
}
