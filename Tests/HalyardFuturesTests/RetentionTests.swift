import Foundation
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardFutures

/// A stored future does not retain the futures and requests that were derived from it.
@Suite(.timeLimit(.minutes(3)))
struct RetentionTests {
    /// An object that counts its living instances.
    private final class Token: Sendable {
        let alive: Lock<Int>
        init(_ alive: Lock<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }
        deinit { alive.withLock { $0 -= 1 } }
    }

    private struct API: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient
        var token: Token?
    }

    @Test func `a retained login future keeps neither the requests derived from it nor their responses`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let stub = StubTransport().on(.get, "/*", .text("ok"))
        var api = API(baseURL: url, client: HTTPClient(transport: stub))
        let login = api.request(Route(path: "/login")).future(.text)
        #expect(try await login.value == "ok")
        let alive = Lock(0)
        for _ in 0..<200 {
            api.token = Token(alive)
            let made = login.flatMap { [api] _ in api.request(Route(path: "/me")).future(.text) }
            #expect(try await made.value == "ok")
            let recovered = made.map { _ in throw FilterError() }
                .flatMapError { [api] _ in api.request(Route(path: "/me")).future(.text) }
            #expect(try await recovered.value == "ok")
        }
        api.token = nil
        try await eventually("all are let go") { alive.withLock { $0 } == 0 }
        #expect(try await login.value == "ok")
    }

    @Test func `a hundred thousand flatMaps leave no memory in a future, before and after completion`() async throws {
        let promise = Promise<Int>()
        for future in [Future(value: 1), promise.future] {
            for _ in 0..<100_000 { future.flatMap { Future(value: $0) }.cancel() }
            #expect(future.progress.followerCount <= 8)
        }
    }
}
