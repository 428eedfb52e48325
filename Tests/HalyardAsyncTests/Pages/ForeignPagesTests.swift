import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Pages at another origin than that of the first page. No secret goes there.
@Suite(.timeLimit(.minutes(3)))
struct ForeignPagesTests {
    static let items = Route(path: "/items", headers: ["X-Api-Key": "secret", "X-Trace": "7"])

    /// An API with a secret in each place that can have one.
    static func api(_ server: LoopbackServer) -> TestAPI {
        var api = TestAPI(server).with(\.authentication, .bearer("secret"))
        api.additionalHeaders = ["X-Acme-Key": "secret"]
        api.additionalParams = ["token": "secret"]
        api.additionalHeaders["X-Client-Token"] = "secret of the provider"
        api.client = HTTPClient(
            configuration: .init(
                headers: ["Authorization": "secret", "X-Client-Token": "secret of the client", "X-Client": "1"]))
        return api
    }

    static func page(next: String? = nil) -> StubResponse {
        .json(text: "[1]", headers: next.map { ["Link": "<\($0)>; rel=next"] } ?? [:])
    }

    /// Checks that a server has received requests for pages, without secrets.
    static func check(_ server: LoopbackServer, count: Int, _ location: SourceLocation = #_sourceLocation) {
        #expect(server.requests.count == count, sourceLocation: location)
        for request in server.requests {
            let text = "\(request.target) \(request.headers.map { "\($0.name): \($0.value)" })"
            #expect(!text.contains("secret"), sourceLocation: location)
            #expect(request.headers["X-Trace"] == "7", sourceLocation: location)
        }
    }

    @Test("two consecutive pages at another origin get the client's headers but no secrets")
    func twoForeignPages() async throws {
        let foreign = try LoopbackServer().on(.get, "/2", Self.page(next: "/3")).on(.get, "/3", Self.page())
        let server = try LoopbackServer().on(.get, "/api/items", Self.page(next: "\(foreign.baseURL)/2"))
        #expect(try await Self.api(server).pages(Self.items, by: .link).items(of: Int.self).all == [1, 1, 1])
        Self.check(foreign, count: 2)
        #expect(foreign.requests.allSatisfy { $0.headers["X-Client"] == "1" })
        #expect(try server.request.headers["X-Api-Key"] == "secret")
    }

    @Test("the page after one redirected to another origin gets no secrets")
    func redirectedPage() async throws {
        let foreign = try LoopbackServer().on(.get, "/1", Self.page(next: "/2")).on(.get, "/2", Self.page())
        let server = try LoopbackServer()
            .on(.get, "/api/items", .status(302, headers: ["Location": "\(foreign.baseURL)/1"]))
        #expect(try await Self.api(server).pages(Self.items, by: .link).items(of: Int.self).all == [1, 1])
        Self.check(foreign, count: 2)
    }

    @Test("a saved cursor that leads to another origin gets no secrets")
    func savedCursor() async throws {
        let foreign = try LoopbackServer().on(.get, "/2", Self.page())
        let server = try LoopbackServer()
        let cursor = try #require(PageCursor(rawValue: "url:\(foreign.baseURL)/2"))
        let pages = Self.api(server).pages(Self.items, by: .link, from: cursor)
        #expect(try await pages.items(of: Int.self).all == [1])
        Self.check(foreign, count: 1)
    }

    @Test("headers that the provider declares secret are not sent to another origin")
    func secretNames() async throws {
        struct API: HTTPProvider {
            let baseURL: URL
            var secretNames: [String] { ["X-House"] }
        }
        let foreign = try LoopbackServer().on(.get, "/2", Self.page())
        let server = try LoopbackServer().on(.get, "/items", Self.page(next: "\(foreign.baseURL)/2"))
        let route = Route(path: "/items", headers: ["X-House": "secret", "X-Trace": "7"])
        for try await _ in API(baseURL: server.baseURL).pages(route, by: .link) {}
        Self.check(foreign, count: 1)
        #expect(try server.request.headers["X-House"] == "secret")
    }

    @Test("a page back at the first origin gets the route's secrets again")
    func backAtHome() async throws {
        let server = try LoopbackServer()
        let foreign = try LoopbackServer().on(.get, "/2", Self.page(next: "\(server.baseURL)/api/3"))
        server.on(.get, "/api/items", Self.page(next: "\(foreign.baseURL)/2")).on(.get, "/api/3", Self.page())
        #expect(try await Self.api(server).pages(Self.items, by: .link).items(of: Int.self).all == [1, 1, 1])
        Self.check(foreign, count: 1)
        #expect(server.requests.map { $0.headers["X-Api-Key"] } == ["secret", "secret"])
    }

    @Test("a URL that leads from https to http is refused, even from a saved cursor")
    func insecurePage() async throws {
        let stub = StubTransport()
            .on(.get, "/items", Self.page(next: "http://api.example.com/v1/2")).on(.get, "/v1/2", Self.page())
        let (log, api) = (Log<Int>(), TestAPI(stub))
        let error = await failure { for try await page in api.pages(Self.items, by: .link) { log.add(page.number) } }
        #expect(error == HTTPError(.insecureRedirect("http://api.example.com")))
        #expect(error?.request != nil && error?.response != nil)
        #expect(log.entries == [1])
        let cursor = try #require(PageCursor(rawValue: "url:http://api.example.com/v1/2"))
        let saved = await failure { for try await _ in api.pages(Self.items, by: .link, from: cursor) {} }
        #expect(saved == HTTPError(.insecureRedirect("http://api.example.com")))
        #expect(stub.requests.count == 1)
    }
}
