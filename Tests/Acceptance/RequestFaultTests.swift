import Foundation
import HalyardAsync
import HalyardTesting
import Testing

/// Bad input: a typed error that names it, and not one byte on the wire.
struct RequestFaultTests {
    /// Sends to a server that must not notice, and gives the error.
    static func refusal(_ send: (TestAPI) async throws -> Void) async throws -> HTTPError {
        let server = try LoopbackServer.accepting()
        let error = await failure { try await send(TestAPI(server)) }
        #expect(server.connectionCount == 0)
        return try #require(error)
    }

    @Test(
        "fault 1: a header value with CR, LF, NUL or another control character is refused",
        arguments: ["a\rb", "a\nb", "a\r\nX-B: c", "a\u{0}b", "\u{7F}", "\u{1}", "a\r\n"])
    func headerValues(value: String) async throws {
        let route = Route(path: "/me", headers: ["X-A": value])
        #expect(try await Self.refusal { try await $0.request(route).void() } == HTTPError.invalidHeader("X-A"))
        let provider = try await Self.refusal { api in
            try await api.with(\.additionalHeaders, ["X-A": value]).request(.me).void()
        }
        #expect(provider == HTTPError.invalidHeader("X-A"))
        #expect(!provider.description.contains("X-B: c"))
    }

    @Test(
        "fault 2: a header name that is no token is refused",
        arguments: ["", "A B", "A:", "A\r\nB", "Ä", "A\u{0}", "(A)", " A"])
    func headerNames(name: String) async throws {
        let route = Route(path: "/me", headers: [name: "x"])
        #expect(try await Self.refusal { try await $0.request(route).void() } == HTTPError.invalidHeader(name))
    }

    @Test("fault 3: a method with a space or a line break cannot be made", arguments: ["", "GE T", "GET\r\n", "GÉT"])
    func badMethods(name: String) {
        #expect(throws: HTTPError.invalidMethod(name)) { try HTTPMethod(name) }
    }

    @Test("fault 3: a method of one's own is sent as it is written")
    func ownMethods() async throws {
        let (purge, server) = (try HTTPMethod("Purge"), try LoopbackServer())
        server.on(purge, "/*", .status(200))
        try await TestAPI(server).request(Route(path: "/me", method: purge)).void()
        #expect(try server.request.method == "Purge")
    }

    @Test(
        "fault 4: fields that frame the message are the engine's",
        arguments: [
            "Content-Length", "transfer-encoding", "Connection", "Expect", "Upgrade", "TE", "Trailer", "Keep-Alive",
        ])
    func framing(name: String) async throws {
        let route = Route(path: "/me", method: .post, headers: [name: "1"], body: .text("four"))
        #expect(try await Self.refusal { try await $0.request(route).void() } == HTTPError.invalidHeader(name))
    }

    @Test("fault 4, fault 5, fault 6, fault 7: Host of one's own, two of a name, an empty value, UTF-8")
    func headers() async throws {
        let server = try LoopbackServer.accepting()
        var headers: HTTPHeaders = ["Host": "other.example", "X-Two": "1", "X-Empty": "", "X-Name": "é 日本"]
        try headers.add("2", for: "x-two")
        try await TestAPI(server).request(Route(path: "/me", headers: headers)).void()
        let sent = try server.request.headers
        #expect(sent.values(for: "Host") == ["other.example"])
        #expect(sent.values(for: "X-Two") == ["1", "2"])
        #expect(sent.values(for: "X-Empty") == [""])
        #expect(sent["X-Name"] == "é 日本")
    }

    @Test("fault 8: a GET may have a body", arguments: [HTTPMethod.get, .head, .delete, .options])
    func bodies(method: HTTPMethod) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(Route(path: "/me", method: method, body: .text("body"))).void()
        #expect(try server.request.text == "body")
        #expect(try server.request.method == method.name)
    }

    @Test(
        "fault 9: dots in a path are refused, values and literals alike",
        arguments: ["/a/../b", "..", "/./a", "a/.", "/a/%2e%2e/b", "/a/%2E/b"])
    func dots(path: String) async throws {
        let error = try await Self.refusal { api in
            try await api.request(Route(path: RoutePath(verbatim: path))).void()
        }
        #expect(error == HTTPError.invalidPath(path))
    }

    @Test("fault 9: NUL and line breaks in a path are escaped, in values and in literals")
    func controls() async throws {
        let server = try LoopbackServer.accepting()
        let value = "a\r\nb\u{0}c"
        try await TestAPI(server).request(Route(path: "/x/\(value)")).void()
        try await TestAPI(server).request(Route(path: RoutePath(verbatim: "/x/\(value)"))).void()
        #expect(server.requests.map(\.target) == ["/api/x/a%0D%0Ab%00c", "/api/x/a%0D%0Ab%00c"])
    }

    @Test(
        "fault 10: no path changes the host",
        arguments: ["//evil.com", "https://evil/", "@evil.com", ":80@evil.com", "\\evil.com", "#@evil.com", "/\t/evil"])
    func hosts(path: String) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server, "").request(Route(path: RoutePath(verbatim: path))).void()
        try await TestAPI(server, "").request(Route(path: RoutePath(escaping: path))).void()
        #expect(server.requests.map { $0.headers["Host"] } == Array(repeating: "127.0.0.1:\(server.port)", count: 2))
        #expect(server.requests.allSatisfy { $0.target.hasPrefix("/") })
    }

    @Test(
        "fault 11, BK3, BK4, BN9: a URL that could be read in two ways, or is none, is an error that is delivered",
        arguments: [
            "http://a.com\\@evil.com/", "http://evil.com#@a.com/", "http://a.com%00.evil.com/", "http://h:99999/",
            "http://h:0/", "http://", "http:///x", "data:text/plain,x", "file:///etc/passwd", "ftp://h/", "h/x", "",
            "http://h h/", "http://h:-1/", "//h/x", "http://[::1", "http://h\r\n/",
        ])
    func urls(text: String) async throws {
        // A fragment alone is harmless: nothing of it is sent.
        let url = text == "http://evil.com#@a.com/" ? "http://user@evil.com#@a.com/" : text
        let awaited = try #require(await failure { try await DefaultProvider.request(url).void() })
        #expect(awaited == HTTPError.invalidURL(url))
        let called = await response { DefaultProvider.request(url).responseData($0) }
        #expect(called.error! == HTTPError.invalidURL(url))
        if let base = URL(string: text) {
            let error = await failure { try await TestAPI(baseURL: base).request(.me).void() }
            guard case .invalidURL = error?.kind.code else {
                Issue.record("\(text) as a base gives \(String(describing: error))")
                return
            }
        }
    }

    @Test("fault 12, fault 13: every mark in names and values is escaped, and nil is not the empty string")
    func query() async throws {
        let server = try LoopbackServer.accepting()
        let missing: String? = nil
        let params: Parameters = ["&=+#;% ": "&=+#;% ", "e": "%20", "n": missing, "s": ""]
        try await TestAPI(server, "").request(Route(path: "/q", params: params)).void()
        #expect(try server.request.target == "/q?%26%3D%2B%23%3B%25%20=%26%3D%2B%23%3B%25%20&e=%2520&s=")
    }

    @Test("fault 14: the same parameters give the same bytes, in whatever order a dictionary has them")
    func sameBytes() async throws {
        struct Record: Encodable { let scores: [String: Int] }
        let server = try LoopbackServer.accepting()
        let names = ["kilo", "alfa", "zulu", "mike", "bravo", "x-ray", "lima", "echo", "papa", "golf"]
        let scores = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.utf8.count) })
        let api = TestAPI(server)
        try await api.request(Route(path: "/q", params: ["s": scores])).void()
        try await api.request(Route(path: "/j", method: .post, params: Parameters(scores))).void()
        try await api.request(Route(path: "/e", method: .post, body: .json(Record(scores: scores)))).void()
        let sorted = names.sorted()
        let members = sorted.map { #""\#($0)":\#($0.utf8.count)"# }.joined(separator: ",")
        #expect(server.requests[0].query == sorted.map { "s%5B\($0)%5D=\($0.utf8.count)" }.joined(separator: "&"))
        #expect(server.requests[1].text == "{\(members)}")
        #expect(server.requests[2].text == #"{"scores":{\#(members)}}"#)
    }

    @Test(
        "fault 15: parameters nested 10 000 deep are an error",
        arguments: [nil, ParameterEncoding.form, .url, .multipart])
    func nesting(encoding: ParameterEncoding?) async throws {
        let depth = 10_000
        let lists = (0..<depth).reduce(Parameters()) { inner, _ in ["a": inner] }
        let error = try await Self.refusal { api in
            try await api.request(Route(path: "/", method: .post, params: ["deep": lists], encoding: encoding)).void()
        }
        #expect(error.reason?.contains("511") == true)
    }

    @Test("fault 16: the extremes of numbers arrive exact, and come back so")
    func numbers() async throws {
        let server = try LoopbackServer().on(.post, "/api/echo") { .data($0.body, contentType: "application/json") }
        let decimal = try #require(Decimal(string: "12345678901234567890123456789012345678"))
        let small = try #require(Decimal(string: "0.00000000000000000000000000000000000001"))
        let params: Parameters = [
            "min": Int64.min, "max": Int64.max, "umax": UInt64.max, "tenth": 0.1, "decimal": decimal, "small": small,
        ]
        let json = try await TestAPI(server).request(Route(path: "/echo", method: .post, params: params)).json()
        #expect(json["min"].number?.int64 == .min)
        #expect(json["max"].number?.int64 == .max)
        #expect(json["umax"].number?.uint64 == .max)
        #expect(json["tenth"].double == 0.1)
        #expect(json["decimal"].decimal == decimal)
        #expect(json["small"].decimal == small)
        #expect(try server.request.text.hasPrefix(#"{"min":-9223372036854775808,"max":9223372036854775807,"#))
        #expect(try server.request.text.contains(#""tenth":0.1,"decimal":12345678901234567890123456789012345678,"#))
    }

    @Test("fault 23: a user and a password in a URL are refused, and are in no error")
    func credentials() async throws {
        let server = try LoopbackServer.accepting()
        let text = "http://jane:s3cret@127.0.0.1:\(server.port)/me?token=s3cret#s3cret"
        let url = try #require(URL(string: text))
        let requests = [
            DefaultProvider.request(text), TestAPI(baseURL: url).request(.me), TestAPI(server).request(Route(url: url)),
        ]
        for request in requests {
            let error = try #require(await failure { try await request.void() })
            let words = [
                "\(error)", error.localizedDescription, String(reflecting: error), "\(error.kind)", "\(request)",
            ]
            #expect(words.allSatisfy { !$0.contains("s3cret") && !$0.contains("jane") }, "\(words)")
            #expect(error.description.contains("127.0.0.1"))
            #expect(error.reason?.contains("user name or password") == true)
        }
        #expect(server.connectionCount == 0)
    }
}
