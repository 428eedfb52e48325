import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// What the recipes of the article send and return.
@Suite(.timeLimit(.minutes(3)))
struct RecipesTests {
    private func sent(_ route: Route) async throws -> RecordedRequest {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).request(route).void()
        return try server.request
    }

    @Test("the recipes for parameters send the expected requests")
    func parameters() async throws {
        let routes = RecipesArticle.parameters()
        let requests = try await routes.asyncMap(sent)
        #expect(requests.first?.text == #"{"filter":{"age":{"min":18},"tags":["a","b"]}}"#)
        #expect(requests[1].queryItems.map { "\($0.name)=\($0.value)" } == ["filter[age]=18"])
        #expect(requests[2].queryItems.map { "\($0.name)=\($0.value)" } == ["ids=1,2,3"])
        #expect(requests[3].queryItems.map { "\($0.name)=\($0.value)" } == ["ids[]=1", "ids[]=2"])
        #expect(requests[4].text == "user=ann&code=7")
    }

    @Test("the recipes for headers and bodies send the expected requests")
    func bodies() async throws {
        let tagged = try await sent(RecipesArticle.headerFields())
        #expect(tagged.headers.values(for: "X-Tag") == ["a", "b", "c"])
        #expect(tagged.headers.values(for: "Accept") == ["application/vnd.example+json"])
        let file = try TemporaryFolder().write(Data(count: 1000), to: "log")
        let requests = try await RecipesArticle.bodies(Data("<a/>".utf8), file).dropLast().asyncMap(sent)
        #expect(
            requests.map { $0.headers["Content-Type"] } == [
                "application/xml", "text/plain; charset=utf-8", "application/json",
            ])
        #expect(requests.map(\.text) == ["<a/>", "remember", #"{"query":"{ me { name } }"}"#])
    }

    @Test("the recipes for dates, credentials and statuses work")
    func others() async throws {
        struct Day: Codable { var date: Date }
        let mapper = RecipesArticle.dates()
        let day = try mapper.decode(Day.self, from: Data(#"{"date":"2024-05-06"}"#.utf8))
        #expect(String(decoding: try mapper.encode(day), as: UTF8.self) == #"{"date":"2024-05-06"}"#)
        let server = try LoopbackServer()
            .on(.get, "/news", .status(304)).on(.get, "/none", .status(404)).on(.get, "/page", .text("page"))
        let shown = Log<String>()
        try await RecipesArticle.conditional(
            RecipesArticle.TenantAPI(baseURL: server.baseURL), "\"1\""
        ) { shown.add($0) }
        #expect(shown.entries.isEmpty)
        #expect(server.requests.first?.headers["If-None-Match"] == "\"1\"")
        #expect(server.requests.first?.headers["X-Tenant"] == "t-7")
        let lenient = RecipesArticle.LenientAPI(baseURL: server.baseURL)
        #expect(try await lenient.request(Route(path: "/none")).response().status == 404)
        let versioned = RecipesArticle.VersionedAPI(baseURL: server.baseURL)
        _ = try await versioned.request(Route(path: "/page")).text()
        #expect(server.requests.last?.headers["X-API-Version"] == "2")
        #expect(try await RecipesArticle.page(#require(URL(string: "\(server.baseURL)/page"))) == "page")
    }

    @Test("the responses article prints what the server sent")
    func responses() async throws {
        let failed = Lock(0)
        let server = try LoopbackServer().on(.get, "/report") { _ in
            // The second request of the article is refused.
            let count = failed.withLock { count in
                count += 1
                return count
            }
            if count == 2 { return .status(429, retryAfter: 7) }
            return .json(
                text: #"{"total":3}"#,
                headers: [
                    "Set-Cookie": "a=1", "Set-Cookie": "b=2", "ETag": "\"9\"",
                    "Content-Disposition": "attachment; filename=\"../report.json\"",
                ])
        }
        let api = RecipesArticle.LenientAPI(baseURL: server.baseURL)
        let lines = Log<String>()
        try await ReadingResponsesArticle.read(api) { (items: Any...) in
            lines.add(items.map { "\($0)" }.joined(separator: " "))
        }
        #expect(lines.entries.starts(with: ["200 application/json", "a=1", "b=2"]))
        #expect(lines.entries.contains("7"))
        #expect(lines.entries.contains("application/json report.json"))
        let (total, version) = try await ReadingResponsesArticle.values(api)
        #expect(total == 3 && version == "\"9\"")
        #expect(server.requests.count == 3)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
