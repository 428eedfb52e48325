import Foundation
import Halyard
import HalyardTesting
import Testing

/// The request of a route and a provider.
struct RequestBuilderTests {
    struct API: HTTPProvider {
        var baseURL = URL(string: "https://api.example.com/v1")!
        var additionalHeaders: HTTPHeaders = ["X-Home": "api", "Both": "api"]
        var additionalParams: Parameters = ["token": "t0"]
        var client = HTTPClient(
            transport: StubTransport(), configuration: .init(headers: ["X-All": "client", "Both": "client"]))
    }

    private func build(_ route: Route, _ api: API = API()) throws -> HTTPRequest {
        try RequestBuilder.request(for: route, of: api)
    }

    private func pairs(_ request: HTTPRequest) -> [String] { request.headers.map { "\($0.name): \($0.value)" } }

    @Test func `the route's headers take precedence over the provider's, and those over the client's`() throws {
        let request = try build(Route(path: "/me", headers: ["both": "route", "X-Route": "1", "x-route": "2"]))
        #expect(pairs(request) == ["X-All: client", "X-Home: api", "both: route", "X-Route: 1", "x-route: 2"])
        #expect(try build(Route(path: "/me")).headers.values(for: "Both") == ["api"])
    }

    @Test func `the route's parameters come first and replace all provider values of the same name`() throws {
        var api = API()
        api.additionalParams = ["token": "t0", "lang": "en", "q": "api"]
        let request = try build(Route(path: "/find?z=1", params: ["q": "a", "q": "b"]), api)
        #expect(request.url.absoluteString == "https://api.example.com/v1/find?z=1&q=a&q=b&token=t0&lang=en")
    }

    @Test(
        arguments: [
            (HTTPMethod.get, nil, "?a=1&token=t0", "", nil), (.delete, nil, "?a=1&token=t0", "", nil),
            (.patch, nil, "", #"{"a":1,"token":"t0"}"#, "application/json"),
            (.post, nil, "", #"{"a":1,"token":"t0"}"#, "application/json"),
            (.put, nil, "", #"{"a":1,"token":"t0"}"#, "application/json"),
            (.post, .url, "?a=1&token=t0", "", nil),
            (.post, .form, "", "a=1&token=t0", "application/x-www-form-urlencoded"),
            (.get, .json, "", #"{"a":1,"token":"t0"}"#, "application/json"),
        ] as [(HTTPMethod, ParameterEncoding?, String, String, String?)])
    func `the method and encoding decide where parameters go, and the Content-Type`(
        _ method: HTTPMethod, _ encoding: ParameterEncoding?, _ query: String, _ body: String, _ type: String?
    ) throws {
        let request = try build(Route(path: "/x", method: method, params: ["a": 1], encoding: encoding))
        #expect(request.method == method)
        #expect(request.url.absoluteString == "https://api.example.com/v1/x\(query)")
        #expect((request.body?.inMemory).map { String(decoding: $0, as: UTF8.self) } ?? "" == body)
        #expect((request.body == nil) == body.isEmpty)
        #expect(request.headers["Content-Type"] == type)
    }

    @Test(arguments: [ParameterEncoding.json, .form, .url])
    func `without params a request has no body, no type and no question mark`(_ encoding: ParameterEncoding) throws {
        var api = API()
        api.additionalParams = [:]
        let request = try build(Route(path: "/x", method: .post, params: ["a": nil], encoding: encoding), api)
        #expect(request.body == nil && request.headers["Content-Type"] == nil)
        #expect(request.url.absoluteString == "https://api.example.com/v1/x")
    }

    @Test(arguments: [ParameterEncoding.json, .form])
    func `the caller's Content-Type takes precedence, wherever it is set`(_ encoding: ParameterEncoding) throws {
        let route = Route(path: "/x", method: .post, headers: ["content-TYPE": "text/odd"], encoding: encoding)
        #expect(try build(route).headers.values(for: "Content-Type") == ["text/odd"])
        var api = API()
        api.additionalHeaders = ["Content-Type": "text/api"]
        #expect(
            try build(Route(path: "/x", method: .post, encoding: encoding), api).headers["Content-Type"] == "text/api")
    }

    @Test func `the base's query comes first, and a base with a fragment is rejected`() throws {
        var api = API()
        api.baseURL = URL(string: "https://h/v1/?key=%5B1")!
        #expect(
            try build(Route(path: "me?a", params: ["b": 2]), api).url.absoluteString
                == "https://h/v1/me?key=%5B1&a&b=2&token=t0")
        api.baseURL = URL(string: "https://h/#top")!
        #expect(throws: HTTPError(.invalidURL("https://h/"))) { try build(Route(path: "me"), api) }
    }

    @Test(arguments: [
        "https://api.example.com/next?page=2", "HTTPS://API.example.com:443/next?page=2",
        "https://api.example.com/next?page=2#x",
    ])
    func `an absolute route at the provider's origin gets everything the provider adds`(_ url: String) throws {
        let request = try build(Route(url: URL(string: url)!))
        #expect(request.url.absoluteString.hasSuffix("/next?page=2&token=t0"))
        #expect(pairs(request) == ["X-All: client", "X-Home: api", "Both: api"])
    }

    @Test(arguments: [
        "https://evil.com/next", "http://api.example.com/next", "https://api.example.com:8443/next",
        "https://api.example.com.evil.com/next",
        "https://api.example.com./next", "https://example.com/next", "https://xapi.example.com/next",
    ])
    func `an absolute route to another origin gets nothing from the provider`(_ url: String) throws {
        let request = try build(Route(url: URL(string: url)!, params: ["a": 1], headers: ["X-Route": "1"]))
        #expect(request.url.absoluteString == url + "?a=1")
        #expect(pairs(request) == ["X-All: client", "Both: client", "X-Route: 1"])
    }

    @Test func `a provider with an invalid base has no origin`() throws {
        var api = API()
        for base in ["https://user:secret@api.example.com/", "file:///", "/v1"] {
            api.baseURL = URL(string: base)!
            let request = try build(Route(url: URL(string: "https://evil.com/")!), api)
            #expect(request.headers["X-Home"] == nil)
            #expect(request.url.absoluteString == "https://evil.com/")
        }
    }

    @Test(arguments: [
        ("https://h/?page[size]=2&q=a%20b", "https://h/?page%5Bsize%5D=2&q=a%20b"),
        ("https://h/100%", "https://h/100%25"), ("https://h", "https://h"),
    ])
    func `the text of a URL is sent unchanged and not encoded twice`(_ text: String, _ sent: String) throws {
        let route = Route(.absolute(text), .get, [:], [:])
        #expect(try RequestBuilder.request(for: route, of: DefaultProvider()).url.absoluteString == sent)
    }

    @Test func `each reason why a request cannot be built has its own kind of error`() {
        #expect(throws: HTTPError(.invalidPath("/.."))) { try build(Route(path: "/..")) }
        #expect(throws: HTTPError(.encoding("x"))) { try build(Route(path: "/", params: ["x": Double.nan])) }
        #expect(throws: HTTPError(.invalidURL("ftp://h/"))) { try build(Route(url: URL(string: "ftp://h/")!)) }
    }

    @Test func `a rejected header of the client, the provider or the route fails the request`() throws {
        struct Plain: HTTPProvider {
            let baseURL = URL(string: "https://h")!
            let additionalHeaders = ["X-Plain": "a\nb"]
        }
        let request = try RequestBuilder.request(for: Route(path: "/", headers: ["X": "1"]), of: Plain())
        #expect(throws: HTTPError(.invalidHeader("X-Plain"))) { try request.checkHeaders() }
        #expect(throws: HTTPError(.invalidHeader("Host"))) {
            try build(Route(path: "/", headers: ["Host": "a", "host": "b"])).checkHeaders()
        }
    }

    @Test func `the client's memory limit applies to the request`() throws {
        var api = API()
        api.client = HTTPClient(transport: StubTransport(), configuration: .init(memoryLimit: 7))
        #expect(try build(Route(path: "/"), api).destination == .memory(limit: 7))
    }

    @Test func `equal values build equal requests`() throws {
        let params = Parameters(Dictionary(uniqueKeysWithValues: (0..<50).map { ("n\($0)", ["b": $0, "a": $0]) }))
        let first = try build(Route(path: "/x", method: .post, params: params))
        for _ in 0..<5 {
            let again = try build(Route(path: "/x", method: .post, params: params))
            #expect(
                again.body?.inMemory == first.body?.inMemory && again.headers == first.headers && again.url == first.url
            )
        }
    }
}

extension HTTPBody {
    /// The bytes of a body that is all in memory.
    fileprivate var inMemory: Data {
        segments.reduce(into: Data()) { if case .bytes(let bytes) = $1 { $0.append(bytes) } }
    }
}
