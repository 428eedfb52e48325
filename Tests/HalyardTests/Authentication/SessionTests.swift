import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A token that is set during its renewal: the newer token stays.
@Suite(.timeLimit(.minutes(3)))
struct SessionTests {
    /// A renewal that the test can observe and end.
    private struct Renewal: Sendable {
        let began = Latch()
        let mayEnd = Latch()

        func run(_ token: String) async -> String {
            began.open()
            await mayEnd.wait()
            return token
        }
    }

    private let server: LoopbackServer
    private let renewal = Renewal()

    init() throws {
        server = try LoopbackServer().on(.get, "/me") { request in
            switch request.headers["Authorization"] {
            case "Bearer second", "Bearer renewed": .text("in")
            default: .status(401)
            }
        }
    }

    private func send(_ tokens: TokenSource) async throws -> String {
        let api = TestAPI(baseURL: server.baseURL, authentication: .bearer(tokens))
        return try await api.request(Route(path: "/me")).text()
    }

    @Test("a logout during a renewal persists, and the request ends with its 401")
    func logout() async throws {
        let tokens = TokenSource("first") { [renewal] _ in await renewal.run("renewed") }
        async let waiting = failure { _ = try await send(tokens) }
        await renewal.began.wait()
        tokens.token = nil
        #expect(await waiting?.kind == .status(401))
        renewal.mayEnd.open()
        // The next request waits for the renewal in progress, whose result is discarded, and then for a new one.
        #expect(try await send(tokens) == "in")
        #expect(tokens.token == "renewed")
    }

    @Test("the result of a renewal that ends after a logout is discarded")
    func ended() async throws {
        let ended = Latch()
        let tokens = TokenSource("first") { [renewal] _ in
            defer { ended.open() }
            return await renewal.run("renewed")
        }
        async let waiting = failure { _ = try await send(tokens) }
        await renewal.began.wait()
        tokens.token = nil
        _ = await waiting
        renewal.mayEnd.open()
        await ended.wait()
        for _ in 0..<1000 { await Task.yield() }
        #expect(tokens.token == nil)
    }

    @Test("a login during a renewal replaces its result, and waiting requests use the new token")
    func login() async throws {
        let ended = Latch()
        let tokens = TokenSource("first") { [renewal] _ in
            defer { ended.open() }
            return await renewal.run("renewed")
        }
        async let waiting = send(tokens)
        await renewal.began.wait()
        tokens.token = "second"
        #expect(try await waiting == "in")
        #expect(server.requests.last?.headers["Authorization"] == "Bearer second")
        renewal.mayEnd.open()
        await ended.wait()
        for _ in 0..<1000 { await Task.yield() }
        #expect(tokens.token == "second")
    }

    @Test("a logout during the first renewal ends the requests not yet sent")
    func made() async throws {
        let tokens = TokenSource { [renewal] _ in await renewal.run("renewed") }
        async let waiting = failure { _ = try await send(tokens) }
        await renewal.began.wait()
        tokens.token = nil
        #expect(await waiting?.kind == .cancelled)
        renewal.mayEnd.open()
        #expect(server.requests.isEmpty)
    }

    @Test("a token set by the renewal closure does not end the renewal, whose error reaches the waiters")
    func own() async throws {
        struct SignedOut: Error {}
        let box = Lock<TokenSource?>(nil)
        let tokens = TokenSource("first") { _ in
            box.withLock { $0 }?.token = nil
            throw SignedOut()
        }
        box.withLock { $0 = tokens }
        await #expect(throws: SignedOut.self) { try await send(tokens) }
        #expect(tokens.token == nil)
        box.withLock { $0 = nil }
    }
}
