import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Forms, and requests without parameters.
struct FormTests {
    static let formType = "application/x-www-form-urlencoded"

    @Test("a form is sent as pairs with its type, without a charset", .behaviors(19, 23))
    func form() async throws {
        let server = try LoopbackServer.accepting()
        let params: Parameters = ["foo": "bar", "test": 123]
        try await TestAPI(server).request(Route(path: "/me", method: .post, params: params, encoding: .form)).void()
        let request = try server.request
        #expect(request.text == "foo=bar&test=123")
        #expect(request.headers.values(for: "Content-Type") == [Self.formType])
        #expect(request.headers["Content-Length"] == "16")
        #expect(request.target == "/api/me")
    }

    @Test(
        "without parameters no body is sent, with any encoding", .behaviors(20, 23, 46), .defects("BN27"),
        arguments: [HTTPMethod.post, .put, .patch, .get], [nil, ParameterEncoding.url, .form, .json, .multipart])
    func nothing(method: HTTPMethod, encoding: ParameterEncoding?) async throws {
        let server = try LoopbackServer.accepting()
        for params in [[:], ["gone": nil, "": 1]] as [Parameters] {
            let route = Route(path: "/me", method: method, params: params, encoding: encoding)
            try await TestAPI(server).request(route).void()
        }
        for request in server.requests {
            #expect(request.target == "/api/me")
            #expect(request.body.isEmpty)
            #expect(request.headers["Content-Type"] == nil)
            #expect(request.headers["Transfer-Encoding"] == nil)
            #expect(request.headers["Content-Length"] == (method == .get ? nil : "0"))
        }
        #expect(server.requests.count == 2)
    }

    @Test(
        "GET, PUT, PATCH and DELETE can put parameters into the query and keep another body unchanged",
        .behaviors(21),
        arguments: [HTTPMethod.get, .put, .patch, .delete])
    func queryBesideBody(method: HTTPMethod) async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server, "").with(\.encodings, [method: .url])
        try await api.request(Route(path: "/test", method: method, params: ["id": 101])).void()
        let route = Route(path: "/test", method: method, params: ["id": 101], body: .text("héllo"))
        try await api.request(route).void()
        #expect(server.requests.map(\.target) == ["/test?id=101", "/test?id=101"])
        #expect(server.requests.map(\.text) == ["", "héllo"])
        #expect(server.requests[1].headers["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test(
        "parameters of a POST or PATCH with another body go into the query", .behaviors(22, 5),
        arguments: [true, false])
    func bodyAndParams(isPost: Bool) async throws {
        let server = try LoopbackServer.accepting()
        let method: HTTPMethod = isPost ? .post : .patch
        for encoding in [nil, ParameterEncoding.json, .form] {
            let route = Route(
                path: "/test", method: method, params: ["id": 101], encoding: encoding, body: .json(["a": 1] as JSON))
            try await TestAPI(server, "").request(route).void()
        }
        for request in server.requests {
            #expect(request.method == method)
            #expect(request.target == "/test?id=101")
            #expect(request.text == #"{"a":1}"#)
            #expect(request.headers["Content-Type"] == "application/json")
        }
        #expect(server.requests.count == 3)
    }

    @Test("text pairs keep their order, duplicates and empty names", .behaviors(36))
    func pairs() async throws {
        let server = try LoopbackServer.accepting()
        let pairs: KeyValuePairs<String, String> = [
            "Hello": "3", "Another": "Way", "Test": "Yay!", "3+3=": "24/4", "Another": "", "": "",
            "Misc": "!@#$%^&*()=:/? \"'",
        ]
        try await TestAPI(server).request(Route(path: "/me", method: .post, body: .form(pairs))).void()
        let request = try server.request
        #expect(
            request.text == """
                Hello=3&Another=Way&Test=Yay%21&3%2B3%3D=24%2F4&Another=&=&Misc=%21%40%23%24%25%5E%26%2A%28%29%3D%3A%2F%3F%20%22%27
                """)
        let decoded = request.text.split(separator: "&").map { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? "?" }
        }
        #expect(decoded == pairs.map { [$0.key, $0.value] })
        #expect(request.headers["Content-Type"] == Self.formType)
    }

    @Test("the same multipart form always has the same length, and never the same boundary")
    func multipartLength() throws {
        let route = Route(path: "/form", method: .post, multipart: [.value(.text("b"), name: "a")])
        let requests = try (0..<100).map { _ in try TestAPI(StubTransport()).prepare(route) }
        #expect(Set(requests.map { $0.body?.length }).count == 1)
        #expect(Set(requests.map { $0.headers["Content-Type"] }).count == 100)
    }

    @Test("an empty form is sent as zero bytes with its type", .behaviors(37))
    func emptyForm() async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(Route(path: "/me", method: .post, body: .form([:]))).void()
        let request = try server.request
        #expect(request.body.isEmpty)
        #expect(request.headers["Content-Length"] == "0")
        #expect(request.headers["Content-Type"] == Self.formType)
    }

    @Test("the encoding can turn fields into a form", .behaviors(38))
    func fields() async throws {
        let server = try LoopbackServer.accepting()
        let params: Parameters = ["first_name": "Christopher Bryan", "last_name": "Henderson"]
        try await TestAPI(server).request(Route(path: "/me", method: .post, params: params, encoding: .form)).void()
        #expect(try server.request.text == "first_name=Christopher%20Bryan&last_name=Henderson")
    }

    @Test("the caller's Content-Type takes precedence over the encoding's", .behaviors(9, 33))
    func contentType() async throws {
        let server = try LoopbackServer.accepting()
        let route = Route(path: "/me", method: .post, params: ["a": 1], encoding: .form)
        let api = TestAPI(server).with(\.additionalHeaders, ["X-Proxy": "yes"])
        try await api.request(route).void()
        try await api.with(\.additionalHeaders, ["content-type": "text/x-form"]).request(route).void()
        #expect(server.requests[0].headers["X-Proxy"] == "yes")
        #expect(server.requests[0].headers.values(for: "Content-Type") == [Self.formType])
        #expect(server.requests[1].headers.values(for: "Content-Type") == ["text/x-form"])
        #expect(server.requests[1].text == "a=1")
    }

    @Test("the default encoding depends on the method, and the provider or the route can change it", .behaviors(10))
    func defaultHeaders() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        try await api.request(.me).void()
        try await api.with(\.additionalHeaders, ["User-Agent": "Music/1", "Accept-Language": "de-AT"]).request(
            Route(path: "/me", headers: ["accept": "text/plain"])
        ).void()
        let bare = HTTPClient(engine: .init(decompresses: false), configuration: .init(headers: [:]))
        try await api.with(\.client, bare).request(.me).void()
        let lists = server.requests.map { request in request.headers.map { "\($0.name): \($0.value)" }.sorted() }
        let host = "Host: 127.0.0.1:\(server.port)"
        // br and zstd follow on a machine that has their libraries.
        let codings = lists[0][0]
        #expect(codings.hasPrefix("Accept-Encoding: gzip, deflate"))
        #expect(lists[0] == [codings, "Accept: */*", host, "User-Agent: Halyard"])
        #expect(lists[1] == [codings, "Accept-Language: de-AT", host, "User-Agent: Music/1", "accept: text/plain"])
        #expect(lists[2] == [host])
    }

    @Test("the encoding belongs to the call, so concurrent calls do not affect each other", .defects("BK13"))
    func encodingsAtOnce() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        try await withThrowingTaskGroup { group in
            for index in 0..<60 {
                let encoding: ParameterEncoding = [.form, .json, .url][index % 3]
                let route = Route(path: "/me", method: .post, params: ["i": index], encoding: encoding)
                group.addTask { try await api.request(route).void() }
            }
            try await group.waitForAll()
        }
        let expected = (0..<60).map { ["i=\($0)", #"{"i":\#($0)}"#, "?i=\($0)"][$0 % 3] }
        let sent = server.requests.map { request in request.query.map { "?" + $0 } ?? request.text }
        #expect(sent.sorted() == expected.sorted())
    }
}
