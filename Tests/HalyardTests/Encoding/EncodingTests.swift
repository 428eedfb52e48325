import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A2 of the acceptance table: how parameters are written.
struct EncodingTests {
    @Test("POST, PUT and PATCH write JSON; all other methods use the query", .behaviors(16), arguments: HTTPMethod.nine)
    func defaults(method: HTTPMethod) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(Route(path: "/me", method: method, params: ["a": 1])).void()
        let isBody = [.post, .put, .patch].contains(method)
        #expect(try server.request.target == (isBody ? "/api/me" : "/api/me?a=1"))
        #expect(try server.request.text == (isBody ? #"{"a":1}"# : ""))
    }

    @Test("the provider overrides the default, and the route overrides the provider", .behaviors(16))
    func overrides() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server).with(\.encodings, [.post: .form])
        try await api.request(Route(path: "/me", method: .post, params: ["a": 1])).void()
        try await api.request(Route(path: "/me", method: .post, params: ["a": 1], encoding: .json)).void()
        #expect(server.requests.map(\.text) == ["a=1", #"{"a":1}"#])
    }

    @Test("parameters are appended to an existing query; without any, no question mark is added", .behaviors(17))
    func query() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        try await api.request(Route(path: "/me?x=y", params: ["foo": "bar", "test": 123])).void()
        try await api.request(Route(path: "/me", params: ["foo": "bar", "test": 123])).void()
        try await api.request(Route(path: "/me")).void()
        #expect(
            server.requests.map(\.target) == ["/api/me?x=y&foo=bar&test=123", "/api/me?foo=bar&test=123", "/api/me"])
    }

    @Test("JSON is compact and sets its Content-Type unless the caller does", .behaviors(18))
    func json() async throws {
        let server = try LoopbackServer.accepting()
        let params: Parameters = ["foo": "bar", "test": 123]
        let api = TestAPI(server)
        try await api.request(Route(path: "/me", method: .post, params: params)).void()
        try await api.request(
            Route(path: "/me", method: .post, params: params, headers: ["content-type": "application/vnd.x+json"])
        ).void()
        #expect(server.requests.map(\.text) == Array(repeating: #"{"foo":"bar","test":123}"#, count: 2))
        #expect(server.requests[0].headers["Content-Type"] == "application/json")
        #expect(server.requests[1].headers.values(for: "Content-Type") == ["application/vnd.x+json"])
    }

    @Test("values are converted in the same way for a query, a form and JSON")
    func conversions() async throws {
        enum Sort: String, ParameterConvertible { case newest }
        let server = try LoopbackServer.accepting()
        let missing: String? = nil
        let params: Parameters = [
            "text": "a&b=c+d é", "yes": true, "n": 7, "x": 1.5, "big": UInt64.max,
            "date": Date(timeIntervalSince1970: 1.005),
            "tags": ["a", "b"], "sort": Sort.newest, "missing": missing, "nil": nil, "": "nameless", "empty": "",
            "null": .null, "nested": ["min": 1, "name": "x"] as Parameters, "sparse": [1, nil, 2] as [Int?],
            "url": URL(string: "https://example.com/?a=b")!,
            "decimal": Decimal(string: "12345678901234567890.123456789")!,
        ]
        let api = TestAPI(server)
        try await api.request(Route(path: "/q", params: params)).void()
        try await api.request(Route(path: "/f", method: .post, params: params, encoding: .form)).void()
        try await api.request(Route(path: "/j", method: .post, params: params)).void()
        let query = """
            text=a%26b%3Dc%2Bd%20%C3%A9&yes=true&n=7&x=1.5&big=18446744073709551615&date=1005&tags=a&tags=b&sort=newest\
            &empty=&null=&nested%5Bmin%5D=1&nested%5Bname%5D=x&sparse=1&sparse=2&url=https%3A%2F%2Fexample.com%2F%3Fa%3Db\
            &decimal=12345678901234567890.123456789
            """
        #expect(server.requests[0].query == query)
        #expect(server.requests[1].text == query)
        #expect(
            server.requests[2].text == """
                {"text":"a&b=c+d é","yes":true,"n":7,"x":1.5,"big":18446744073709551615,"date":1005,"tags":["a","b"],\
                "sort":"newest","empty":"","null":null,"nested":{"min":1,"name":"x"},"sparse":[1,2],\
                "url":"https://example.com/?a=b","decimal":12345678901234567890.123456789}
                """)
    }

    @Test(
        "a value that cannot be written fails with an error that names it",
        arguments: [ParameterEncoding.url, .form, .json])
    func unwritable(encoding: ParameterEncoding) async throws {
        let server = try LoopbackServer.accepting()
        for value in [Double.nan, .infinity] {
            await #expect(throws: HTTPError(.encoding("ratio"))) {
                try await TestAPI(server).request(Route(path: "/", params: ["ratio": value], encoding: encoding)).void()
            }
        }
        #expect(server.connectionCount == 0)
    }
}
