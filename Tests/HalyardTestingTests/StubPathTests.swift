import Foundation
import HalyardTesting
import Testing

@Suite("Matching paths against stub patterns", .timeLimit(.minutes(3)))
struct StubPathTests {
    private struct API: HTTPProvider {
        let baseURL: URL
    }

    private let stub = StubTransport()
        .on(.get, "/issues/{id}", .text("below")).on(.get, "/v2/issues/{id}", .text("whole"))
        .on(.get, "/", .text("root"))

    private func answer(to route: Route, base: String) async throws -> String {
        let api = API(baseURL: try #require(URL(string: base)))
        return try await answer(to: RequestBuilder.request(for: route, of: api))
    }

    private func answer(to request: HTTPRequest) async throws -> String {
        do { return try await stub.send(request, context: TransferContext()).text } catch let error as HTTPError {
            return "\(error.kind)"
        }
    }

    @Test(arguments: [
        ("", "/issues/3", "below"), ("/", "/issues/3", "below"), ("/v1", "/issues/3", "below"),
        ("/v1/", "/issues/3", "below"), ("/a/b?key=1", "/issues/3", "below"), ("/v2", "/issues/3", "whole"),
        ("/v1", "", "root"), ("/v1/", "", "root"), ("", "/", "root"),
        ("/v1", "/projects/7/issues/3", "No stub answers GET /v1/projects/7/issues/3"),
        ("", "/v1/issues/3", "No stub answers GET /v1/issues/3"),
        ("/v", "/1/issues/3", "No stub answers GET /v/1/issues/3"),
    ])
    func aPatternIsTheWholePathOrAllBehindTheBase(base: String, path: String, expected: String) async throws {
        let route = Route(path: RoutePath(verbatim: path))
        #expect(try await answer(to: route, base: "https://api.example.com" + base) == expected)
    }

    @Test(arguments: [
        ("https://api.example.com/v1/issues/3?page=2", "below"),
        ("https://api.example.com/v2/issues/3", "whole"),
        ("https://api.example.com/v11/issues/3", "No stub answers GET /v11/issues/3"),
        ("https://other.example.com/v1/issues/3", "No stub answers GET /v1/issues/3"),
    ])
    func anAbsoluteURLOfTheBaseIsBelowItToo(url: String, expected: String) async throws {
        let route = Route(url: try #require(URL(string: url)))
        #expect(try await answer(to: route, base: "https://api.example.com/v1") == expected)
    }

    @Test func aRequestWithoutAProviderMatchesByItsWholePath() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1/issues/3"))
        #expect(try await answer(to: HTTPRequest(.get, url)) == "No stub answers GET /v1/issues/3")

        let api = API(baseURL: try #require(URL(string: "https://api.example.com/v1")))
        var request = try RequestBuilder.request(for: Route(path: "/issues/3"), of: api)
        #expect(request.basePath == "/v1")
        try request.setURL(url)
        #expect(try await answer(to: request) == "below")
        try request.setURL(#require(URL(string: "https://other.example.com/v1/issues/3")))
        #expect(try await answer(to: request) == "No stub answers GET /v1/issues/3")
    }

    @Test(arguments: [
        ("/files/a.json", "a,json"), ("/files/a.b.json", "a,b.json"), ("/files/.json", nil), ("/files/a.", nil),
        ("/files/a/b.json", nil), ("/files/%C3%A9.x", "\u{e9},x"),
    ])
    func aPlaceholderMayBeAPartOfASegment(path: String, expected: String?) async throws {
        let stub = StubTransport().on(.get, "/files/{name}.{type}") { request in
            .text(
                [request.pathParameters["name"], request.pathParameters["type"]].compactMap(\.self).joined(
                    separator: ","))
        }
        let url = try #require(URL(string: "https://api.example.com" + path))
        let text = try? await stub.send(HTTPRequest(.get, url), context: TransferContext()).text
        #expect(text == expected)
    }

    @Test func stubsOfTheSamePathAreNamedFirst() async throws {
        let stub = StubTransport()
            .on(.delete, "/v1/user/{a-name-much-longer-than-the-path}", .text("")).on(.post, "/user/{id}", .text(""))
            .on(.get, "/users", .text("")).on(.get, "/user", .text("")).on(.get, "/user/1?all=1", .text(""))
        let api = API(baseURL: try #require(URL(string: "https://api.example.com/v1")))
        let request = try RequestBuilder.request(for: Route(path: "/user/1"), of: api)
        let error = await #expect(throws: HTTPError(.noStub("GET /v1/user/1"))) {
            try await stub.send(request, context: TransferContext())
        }
        let names = [
            "GET /user/1?all=1", "POST /user/{id}", "DELETE /v1/user/{a-name-much-longer-than-the-path}", "GET /user",
            "GET /users",
        ]
        #expect(error?.suggestion == "The stubs are: " + names.joined(separator: ", "))
    }

    @Test func `a server with a base path uses the stubs of an API with that path`() async throws {
        let server = try LoopbackServer(basePath: "/v1/").on(.get, "/a", .text("below")).on(
            .get, "/v1/b", .text("whole"))
        #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)/v1")
        for (path, text) in [("/a", "below"), ("/b", "whole")] {
            let url = try #require(URL(string: server.baseURL.absoluteString + path))
            #expect(try await HTTPClient.shared.send(HTTPRequest(.get, url)).text == text)
        }
        #expect(server.requests.map(\.path) == ["/v1/a", "/v1/b"])
        let other = try #require(URL(string: "http://127.0.0.1:\(server.port)/a"))
        #expect(try await HTTPClient.shared.send(HTTPRequest(.get, other)).text == "below")
        #expect(throws: TestingError.self) { try LoopbackServer(basePath: "/a?b") }
    }
}
