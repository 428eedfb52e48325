import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Building requests from routes.
struct BuildingTests {
    @Test(
        "the path is appended to the base with one slash, and an empty path gives the base", .behaviors(1),
        arguments: [
            ("/api", "/me/friends", "/api/me/friends"), ("/api/", "/me/friends", "/api/me/friends"),
            ("/api", "me/friends", "/api/me/friends"), ("/api/", "me/friends", "/api/me/friends"),
            ("/api", "", "/api"), ("", "/me", "/me"), ("/", "me", "/me"), ("/api?key=1", "/me", "/api/me?key=1"),
        ])
    func paths(base: String, path: String, target: String) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server, base).request(Route(path: RoutePath(verbatim: path))).void()
        #expect(try server.request.target == target)
    }

    @Test("keeps a trailing slash in the path", .behaviors(2))
    func trailingSlash() async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server, "/").request(Route(path: "users/")).void()
        #expect(try server.request.target == "/users/")
    }

    @Test("the default method is GET", .behaviors(4, 6))
    func defaultMethod() async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(Route(path: "/me")).void()
        #expect(try server.request.method == .get)
    }

    @Test(
        "each of the nine methods is sent in uppercase", .behaviors(4, 6), .defects("BN4"),
        arguments: HTTPMethod.nine)
    func methods(method: HTTPMethod) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(Route(path: "/me", method: method)).void()
        #expect(try server.request.method == method)
        #expect(method.rawValue == method.rawValue.uppercased())
    }

    @Test("the headers of the provider and the route are sent, and the route's take precedence", .behaviors(7))
    func headers() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server).with(\.additionalHeaders, ["TestHeader": "provider", "Both": "provider"])
        try await api.request(Route(path: "/me", headers: ["customHeader": "route", "both": "route"])).void()
        let headers = try server.request.headers
        #expect(headers["TestHeader"] == "provider")
        #expect(headers["customHeader"] == "route")
        #expect(headers.values(for: "Both") == ["route"])
    }

    @Test("headers and parameters can be dictionary literals", .behaviors(7))
    func dictionaries() async throws {
        struct Plain: HTTPProvider {
            let baseURL: URL
            let additionalHeaders = ["X-Plain": "yes"]
            let additionalParams = ["token": "d71106a0"]
        }
        let server = try LoopbackServer.accepting()
        try await Plain(baseURL: server.baseURL).request(Route(path: "/me")).void()
        #expect(try server.request.headers["X-Plain"] == "yes")
        #expect(try server.request.target == "/me?token=d71106a0")
    }

    @Test(
        "the parameters of provider and route are joined and placed by the route's encoding", .behaviors(8),
        arguments: [
            (ParameterEncoding.url, "/api/me?foo=bar&token=12345", ""),
            (.form, "/api/me", "foo=bar&token=12345"), (.json, "/api/me", #"{"foo":"bar","token":12345}"#),
        ])
    func params(encoding: ParameterEncoding, target: String, body: String) async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server).with(\.additionalParams, ["token": 12345, "foo": "provider's"])
        try await api.request(Route(path: "/me", method: .post, params: ["foo": "bar"], encoding: encoding)).void()
        #expect(try server.request.target == target)
        #expect(try server.request.text == body)
    }

    @Test("a full URL needs no provider", .behaviors(11))
    func fullURL() async throws {
        let server = try LoopbackServer.accepting()
        try await DefaultProvider.request("\(server.baseURL)/api/user/1?x=y", params: ["z": 1]).void()
        #expect(try server.request.target == "/api/user/1?x=y&z=1")
    }

    @Test("a full URL can be sent with a body or a form", .behaviors(11))
    func fullURLWithBody() async throws {
        let server = try LoopbackServer.accepting()
        let url = "\(server.baseURL)/x"
        try await DefaultProvider.request(url, method: .put, body: .text("body")).void()
        try await DefaultProvider.request(url, method: .post, multipart: [.text("v", name: "n")]).void()
        #expect(server.requests.map(\.method) == [.put, .post] && server.requests.first?.text == "body")
        #expect(try ParsedForm(#require(server.requests.last)).parts.map(\.text) == ["v"])
    }

    @Test("a relative URL fails, and the error reaches callbacks and awaits", .behaviors(11))
    func relativeURL() async throws {
        await #expect(throws: HTTPError(.invalidURL("/user/1"))) { try await DefaultProvider.request("/user/1").data() }
        let response = await response { DefaultProvider.request("/user/1").responseData($0) }
        #expect(response.error! == HTTPError(.invalidURL("/user/1")))
        #expect(response.request == nil)
    }

    @Test("a route can be a constant, a property or a function", .behaviors(12))
    func routes() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        try await api.request(.me).void()
        try await api.request(.user("1")).void()
        try await api.request(.login("a", "b")).void()
        #expect(server.requests.map(\.target) == ["/api/me", "/api/user/1", "/api/login"])
        #expect(server.requests[2].text == #"{"email":"a","password":"b"}"#)
    }

    @Test(
        "an interpolated value is one segment, escaped once", .behaviors(13), .defects("BN22"),
        arguments: [
            ("a/b?c", "/api/user/a%2Fb%3Fc"), ("x=1#f", "/api/user/x%3D1%23f"), ("%2F", "/api/user/%252F"),
            ("a b é", "/api/user/a%20b%20%C3%A9"), ("\r\n", "/api/user/%0D%0A"), ("...", "/api/user/..."),
        ])
    func interpolation(id: String, target: String) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(.user(id)).void()
        #expect(try server.request.target == target)
    }

    @Test(
        "a value that would change the path is rejected, and nothing is sent", .behaviors(13),
        arguments: ["", ".", ".."])
    func refusedValues(id: String) async throws {
        let server = try LoopbackServer.accepting()
        await #expect(throws: HTTPError(.invalidPath("/user/\(id)"))) {
            try await TestAPI(server).request(.user(id)).void()
        }
        #expect(server.connectionCount == 0)
    }

    @Test("a ? written in a path starts its query; a ? in a value or in escaped data is data", .behaviors(14))
    func questionMarks() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        try await api.request(Route(path: "/search?kind=\("a&b")&x", params: ["q": 1])).void()
        try await api.request(Route(path: RoutePath(escaping: "some_endpoint/?query=value a"))).void()
        try await api.request(Route(path: "/a b/%41%")).void()
        #expect(
            server.requests.map(\.target) == [
                "/api/search?kind=a%26b&x&q=1", "/api/some_endpoint/%3Fquery%3Dvalue%20a", "/api/a%20b/%41%25",
            ])
    }

    @Test("the params, headers and encoding of a route are all optional", .behaviors(15))
    func optionalParts() async throws {
        let server = try LoopbackServer.accepting()
        let route = Route(
            path: "/user/about", method: .put, params: ["text": "Hey!!"], headers: ["Authorization": "12345"],
            encoding: .form)
        try await TestAPI(server).request(route).void()
        let request = try server.request
        #expect(request.text == "text=Hey%21%21")
        #expect(request.headers["Authorization"] == "12345")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test(
        "a path cannot change the host",
        arguments: ["//evil.com", "https://evil/", "@evil.com", ":80@evil.com", "\\evil.com"])
    func host(path: String) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server, "").request(Route(path: RoutePath(verbatim: path))).void()
        #expect(try server.request.headers["Host"] == "127.0.0.1:\(server.port)")
    }

    @Test("a route to another origin gets nothing added by the provider")
    func absoluteRoutes() async throws {
        let (home, elsewhere) = (try LoopbackServer.accepting(), try LoopbackServer.accepting())
        let api = TestAPI(home).with(\.additionalHeaders, ["Authorization": "x"]).with(\.additionalParams, ["t": 1])
        try await api.request(Route(url: elsewhere.baseURL.appending(path: "next"))).void()
        try await api.request(Route(url: home.baseURL.appending(path: "next"))).void()
        #expect(try elsewhere.request.target == "/next")
        #expect(try elsewhere.request.headers["Authorization"] == nil)
        #expect(try home.request.target == "/next?t=1")
        #expect(try home.request.headers["Authorization"] == "x")
    }
}

extension Route {
    static let login = { @Sendable (email: String, password: String) in
        Route(path: "/login", method: .post, params: ["email": email, "password": password])
    }
}
