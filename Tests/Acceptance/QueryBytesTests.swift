import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A query that was written as a whole goes over the wire byte for byte: only what RFC 3986 does not allow is encoded.
@Suite(.timeLimit(.minutes(3)))
struct QueryBytesTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        var client: HTTPClient
    }

    /// Legal queries, none of which is to be changed. A `+` and a `%2B`, a `%2b` and a `%2B`, are different bytes.
    private static let queries = [
        "q=a+b", "a+b=c+d&+=+", "q=%2B&r=%2b", "q=a%20b+c%2Bd", "a;b=1;c", "q='x'&r=(y)!*~", "a=b=c&&d", "?/:@$,",
        "%41%7E-._", "+", "q=1+1%3D2;'(a)'!*~",
    ]

    private let server: LoopbackServer

    init() throws { server = try LoopbackServer().on(.get, "/*", .status(200)) }

    private func api(_ engine: Engine, _ path: String = "") throws -> API {
        API(baseURL: try #require(URL(string: "\(server.baseURL)\(path)")), client: engine.client())
    }

    @Test("the query in Route(url:) and in a path literal is sent exactly as written", arguments: Engine.wire)
    func routes(engine: Engine) async throws {
        let api = try api(engine)
        for query in Self.queries {
            let url = try #require(URL(string: "\(server.baseURL)/a?\(query)"))
            try await api.request(Route(url: url)).void()
            try await api.request(Route(path: RoutePath(verbatim: "/a?\(query)"))).void()
            try await api.request(Route(url: url, params: ["z": "1+ 2"])).void()
        }
        #expect(
            server.requests.map(\.target)
                == Self.queries.flatMap { ["/a?\($0)", "/a?\($0)", "/a?\($0)&z=1%2B%202"] })
        try await api.request(Route(path: "/a?q=1+1;'(x)'!*~%2B%20")).void()
        #expect(server.requests.last?.target == "/a?q=1+1;'(x)'!*~%2B%20")
    }

    @Test("the query of the base URL is sent exactly as written, before that of the route", arguments: Engine.wire)
    func bases(engine: Engine) async throws {
        for query in Self.queries {
            let api = try api(engine, "/base?\(query)")
            try await api.request(Route(path: "/a")).void()
            try await api.request(Route(path: "/a?r=2+3")).void()
        }
        #expect(server.requests.map(\.target) == Self.queries.flatMap { ["/base/a?\($0)", "/base/a?\($0)&r=2+3"] })
    }

    @Test("keeps the query of a redirect's Location exactly as the server sent it", arguments: Engine.wire)
    func redirects(engine: Engine) async throws {
        let api = try api(engine)
        for query in Self.queries {
            for location in ["/to?\(query)", "\(server.baseURL)/to?\(query)", "to?\(query)", "?\(query)"] {
                server.on(
                    .get, "/to", location.hasPrefix("?") ? .status(302, headers: ["Location": location]) : .status(200),
                    .status(200))
                server.on(.get, "/from", .status(302, headers: ["Location": location]))
                try await api.request(Route(path: location.hasPrefix("?") ? "/to" : "/from")).void()
                #expect(server.requests.last?.target == "/to?\(query)", "\(location)")
            }
        }
    }

    @Test("encodes invalid characters of a redirect's Location, a space as %20, and keeps a +")
    func encoded() async throws {
        server.on(.get, "/from", .status(302, headers: ["Location": "/x/../to y/é?a b+c&[d]=%zz"]))
        try await api(Engine.wire[0]).request(Route(path: "/from")).void()
        #expect(server.requests.last?.target == "/to%20y/%C3%A9?a%20b+c&%5Bd%5D=%25zz")
    }

    @Test("a stub records the target with the query exactly as written")
    func stubs() async throws {
        let stub = StubTransport().on(.get, "/*", .status(200))
        let base = try #require(URL(string: "https://api.example.com/v1?k=1+1"))
        let api = API(baseURL: base, client: HTTPClient(transport: stub))
        for query in Self.queries {
            try await api.request(Route(path: RoutePath(verbatim: "/a?\(query)"))).void()
            try await api.request(Route(url: try #require(URL(string: "https://api.example.com/a?\(query)")))).void()
        }
        #expect(stub.requests.map(\.target) == Self.queries.flatMap { ["/v1/a?k=1+1&\($0)", "/a?\($0)"] })
        #expect(stub.requests[0].queryValue("q") == "a+b")
    }
}
