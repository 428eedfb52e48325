import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Streams that begin again where they ended.
@Suite(.timeLimit(.minutes(3)))
struct WatchTests {
    struct Change: Codable, Sendable, Equatable { var version: Int }

    private static let quick = ReconnectPolicy.standard.with(delay: .milliseconds(1))
    private let server: LoopbackServer
    private var api: TestAPI { TestAPI(server, "") }

    init() throws { server = try LoopbackServer() }

    private static func changes(after version: Int?, method: HTTPMethod = .get) -> Route {
        Route(path: "/changes", method: method, params: ["after": version], encoding: .url)
    }

    private func watch(
        _ policy: ReconnectPolicy = quick, method: HTTPMethod = .get
    ) -> ResponseSequence<Change> {
        api.watch(Self.changes(after: nil, method: method), reconnecting: policy) {
            $0.lines(of: Change.self)
        } from: {
            Self.changes(after: $0.version, method: method)
        }
    }

    private func line(_ versions: Int...) -> StubResponse {
        .text(versions.map { "{\"version\":\($0)}\n" }.joined())
    }

    @Test("each request continues after the last element, even after an end or a lost connection")
    func continues() async throws {
        server.on(
            .get, "/changes", line(1, 2), line(), line(3, 4, 5).failing(after: 30), line(5), line(6))
        var versions: [Int] = []
        for try await change in watch() {
            versions.append(change.version)
            if change.version == 6 { break }
        }
        #expect(versions == [1, 2, 3, 4, 5, 6])
        #expect(server.requests.map(\.query) == [nil, "after=2", "after=2", "after=4", "after=5"])
    }

    @Test("elements of an array are watched in the same way")
    func elements() async throws {
        server.on(.get, "/list", .json(text: "[1,2]"), .json(text: "[3]"))
        let numbers = api.watch(Route(path: "/list"), reconnecting: Self.quick) {
            $0.elements(of: Int.self)
        } from: {
            Route(path: "/list", params: ["after": $0])
        }
        #expect(try await numbers.limited(to: 3).reduce(into: []) { $0.append($1) } == [1, 2, 3])
        #expect(server.requests.map(\.query) == [nil, "after=2"])
    }

    @Test("a permanent failure is thrown, and so is a mismatched element")
    func fails() async throws {
        server.on(.get, "/changes", line(1), .status(403), .text("{\"version\":\"x\"}\n"))
        var count = 0
        let refused = await failure { for try await _ in watch() { count += 1 } }
        #expect(refused?.kind == .status(403) && count == 1)
        let invalid = await failure { for try await _ in watch() { count += 1 } }
        #expect(invalid?.kind == .decoding && count == 1)
    }

    @Test("consecutive attempts without an element are limited")
    func exhausted() async throws {
        server.on(.get, "/changes", line(1), .text(""))
        let policy = ReconnectPolicy.upTo(attempts: 2).with(delay: .milliseconds(1))
        let error = await failure { for try await _ in watch(policy) {} }
        #expect(error?.kind == .connectionLost)
        #expect(error?.reason == "2 reconnections in a row have brought no element")
        #expect(server.requests.count == 3)
    }

    @Test("a POST is sent again only if the policy allows it")
    func post() async throws {
        server.on(.post, "/changes", line(1), line(2))
        let error = await failure { for try await _ in watch(method: .post) {} }
        #expect(error?.kind == .configuration("reconnecting"))
        #expect(server.requests.isEmpty)
        let changes = watch(Self.quick.withAnyMethod(), method: .post).limited(to: 2)
        #expect(try await changes.reduce(into: []) { $0.append($1.version) } == [1, 2])
    }

    @Test("canceling the task ends the wait for the next request")
    func cancelled() async throws {
        server.on(.get, "/changes", line(1))
        let waiting = Task { for try await _ in watch(.standard.with(delay: .seconds(1000))) {} }
        _ = try await server.request(1)
        waiting.cancel()
        await #expect(throws: (any Error).self) { try await waiting.value }
        #expect(server.requests.count == 1)
    }
}

/// Responses that are events or JSON, as the server chooses.
@Suite(.timeLimit(.minutes(3)))
struct EventsOrJSONTests {
    struct Reply: Codable, Sendable, Equatable { var id: Int }

    private let server: LoopbackServer
    private let call = Route(path: "/call", method: .post)

    init() throws { server = try LoopbackServer() }

    private func replies(_ change: (ResponseEvents<Reply>) -> ResponseEvents<Reply> = { $0 }) async throws -> [Reply] {
        let events = TestAPI(server, "").request(call).events(of: Reply.self, until: "[DONE]").acceptingJSON()
        return try await change(events).reduce(into: []) { $0.append($1) }
    }

    @Test("the same loop reads events and JSON")
    func both() async throws {
        server.on(
            .post, "/call", .events(["{\"id\":1}", "{\"id\":2}", "[DONE]"]), .json(["id": 3]),
            .data(Data("{\n  \"id\":\r\n\r 4\n}\n".utf8), contentType: "application/problem+json"), .status(202))
        #expect(try await replies() == [Reply(id: 1), Reply(id: 2)])
        #expect(try await replies() == [Reply(id: 3)])
        #expect(try await replies() == [Reply(id: 4)])
        #expect(try await replies().isEmpty)
        #expect(server.requests.allSatisfy { $0.headers["Accept"] == "application/json, text/event-stream" })
    }

    @Test("JSON ends a reconnecting sequence, and mismatched JSON fails with its path")
    func ends() async throws {
        server.on(.post, "/call", .json(["id": 3]), .json(["id": "x"]), .text("<html>"))
        #expect(try await replies { $0.reconnecting(.standard.withAnyMethod()) } == [Reply(id: 3)])
        let error = await failure { _ = try await replies() }
        #expect(error?.kind == .decoding && error?.reason?.contains("\"id\" is a string") == true)
        let page = await failure { _ = try await replies() }
        #expect(page?.kind == .invalidResponse)
        #expect(server.requests.count == 3)
    }

    @Test("JSON beyond the limit fails")
    func limit() async throws {
        server.on(.post, "/call", .json(["id": 3, "text": .string(String(repeating: "x", count: 5000))]))
        let error = await failure { _ = try await replies { $0.eventLimit(4096) } }
        #expect(error?.kind == .bodyTooLarge(limit: 4096))
    }
}
