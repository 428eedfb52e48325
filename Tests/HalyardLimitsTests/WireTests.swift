import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Each policy over real connections. The policies' clock is a manual one.
@Suite(.timeLimit(.minutes(3)))
struct WireTests {
    private let clock = ManualClock()

    private func api(_ server: LoopbackServer, _ policies: ClientPolicy...) -> TestAPI {
        let client = HTTPClient(
            transport: PlatformTransport.make(EngineConfiguration(idleTimeout: nil)),
            configuration: .init(policies: policies), clock: clock)
        return TestAPI(baseURL: server.baseURL, client: client)
    }

    /// Counts the requests that a server has at once.
    private final class Load: Sendable {
        private let counts = Lock((now: 0, most: 0))
        let gate = Gate()

        var most: Int { counts.withLock { $0.most } }
        var now: Int { counts.withLock { $0.now } }

        func visit() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            gate.wait()
            counts.withLock { $0.now -= 1 }
        }
    }

    @Test func `requests to a host never exceed the limit, and another host does not wait`() async throws {
        let loads = [Load(), Load()]
        let servers = try loads.map { load in
            try LoopbackServer().on(.get, "/*") { _ in
                load.visit()
                return .status(200)
            }
        }
        let policy = ClientPolicy.concurrency(perHost: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers {
                let api = api(server, policy)
                for number in 0..<6 {
                    group.addTask { _ = try await api.request(Route(path: "/\(number)")).response() }
                }
            }
            try await eventually("both hosts have two") { loads.allSatisfy { $0.now == 2 } }
            for load in loads { load.gate.open() }
            try await group.waitForAll()
        }
        #expect(loads.map(\.most) == [2, 2] && servers.map(\.requests.count) == [6, 6])
    }

    @Test func `a full bulkhead refuses requests to one server, and those to another continue`() async throws {
        let load = Load()
        let slow = try LoopbackServer().on(.get, "/") { _ in
            load.visit()
            return .status(200)
        }
        let policy = ClientPolicy.bulkhead(1, queue: 0)
        let api = api(slow, policy)
        async let first = api.request(Route(path: "/")).response()
        _ = try await slow.request()
        let failed = await failure { _ = try await api.request(Route(path: "/")).response() }
        #expect(failed == HTTPError(.queueFull("\(try Origin(slow.baseURL))")) && failed?.sendCount == 0)
        let other = try LoopbackServer.accepting()
        _ = try await self.api(other, policy).request(Route(path: "/")).response()
        #expect(other.requests.count == 1)
        load.gate.open()
        _ = try await first
        #expect(slow.requests.count == 1)
    }

    @Test func `the server's Retry-After and RateLimit are respected`() async throws {
        let server = try LoopbackServer().on(
            .get, "/", .status(429, retryAfter: 30), .status(200, headers: ["RateLimit": "\"minute\";r=0;t=40"]),
            .status(200))
        let api = api(server, .rateLimit(100, per: .seconds(1)))
        await #expect(throws: HTTPError.status(429)) { try await api.request(Route(path: "/")).response() }
        for (number, seconds) in [(2, 30), (3, 40)] {
            async let response = api.request(Route(path: "/")).response()
            try await clock.waitForSleepers(2)
            #expect(server.requests.count == number - 1)
            clock.advance(by: .seconds(seconds))
            #expect(try await response.status == 200)
        }
    }

    @Test func `requests over a rate limit are spread over time`() async throws {
        let server = try LoopbackServer.accepting()
        let policies = [ClientPolicy.rateLimit(1, per: .milliseconds(20), burst: 2)]
        let client = HTTPClient(configuration: .init(policies: policies))
        let api = TestAPI(baseURL: server.baseURL, client: client)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 { group.addTask { _ = try await api.request(Route(path: "/")).response() } }
            try await group.waitForAll()
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200) && server.requests.count == 12)
    }

    @Test func `an open circuit sends nothing and closes when the server works again`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(503), .status(500), .status(200))
        let api = api(server, .circuitBreaker(failures: 2, pause: .seconds(15)))
        let route = Route(path: "/")
        for status in [503, 500] {
            await #expect(throws: HTTPError.status(status)) { try await api.request(route).data() }
        }
        let open = HTTPError(.circuitOpen("\(try Origin(server.baseURL))"))
        for _ in 0..<20 { await #expect(throws: open) { try await api.request(route).data() } }
        #expect(server.requests.count == 2)
        clock.advance(by: .seconds(15))
        for _ in 0..<3 { #expect(try await api.request(route).response().status == 200) }
    }

    @Test func `an unreachable server opens its circuit`() async throws {
        let server = try LoopbackServer()
        let api = api(server, .circuitBreaker(failures: 3))
        server.stop()
        let origin = "\(try Origin(server.baseURL))"
        for _ in 0..<3 {
            await #expect(throws: HTTPError(.cannotConnect(origin))) { try await api.request(Route(path: "/")).data() }
        }
        await #expect(throws: HTTPError(.circuitOpen(origin))) { try await api.request(Route(path: "/")).data() }
    }

    @Test func `a slow read uses the second request's response and closes the first one's connection`() async throws {
        let (gate, count) = (Gate(), Counter())
        let server = try LoopbackServer().on(.get, "/") { _ in
            count.increment()
            if count.count == 1 { gate.wait() }
            return .text("answer")
        }
        let api = api(server, .hedging(after: .milliseconds(100), budget: 1))
        async let response = api.request(Route(path: "/")).response()
        _ = try await server.request()
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(100))
        #expect(try await response.text == "answer")
        #expect(try await response.sendCount == 2 && server.requests.count == 2)
        gate.open()
        try await eventually("one connection is closed") { server.openConnectionCount <= 1 }
    }

    @Test func `many readers share one transfer, which ends with the last of them`() async throws {
        let load = Load()
        let server = try LoopbackServer().on(.get, "/a") { _ in
            load.visit()
            return .text("shared")
        }
        let stage = Coalescing(ignoring: [])
        let api = api(server, ClientPolicy(.coalescing, stage))
        let tasks = (0..<50).map { _ in Task { try await api.request(Route(path: "/a")).text() } }
        try await eventually("all have joined") { stage.readerCount == 50 }
        for task in tasks.prefix(10) { task.cancel() }
        load.gate.open()
        for task in tasks.dropFirst(10) { #expect(try await task.value == "shared") }
        #expect(server.requests.count == 1 && stage.count == 0)

        server.on(.get, "/b", .text("never").stalling(after: 2))
        let readers = (0..<5).map { _ in Task { try await api.request(Route(path: "/b")).text() } }
        _ = try await server.request(2)
        try await eventually("all have joined") { stage.readerCount == 5 }
        for reader in readers { reader.cancel() }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `all policies together end every request and keep nothing`() async throws {
        let server = try LoopbackServer().on(.get, "/*") { request in
            let number = Int(request.path.drop { $0 != "-" }.dropFirst()) ?? 0
            return number.isMultiple(of: 7) ? .status(503) : .text(request.path).delayed(by: .milliseconds(number % 5))
        }
        let concurrency = ConcurrencyLimit(3, by: .host, name: "the limit")
        let coalescing = Coalescing(ignoring: [])
        let client = HTTPClient(
            configuration: .init(policies: [
                ClientPolicy(.coalescing, coalescing), .hedging(after: .milliseconds(2), budget: 0.3),
                .circuitBreaker(failures: 1000), ClientPolicy(.concurrency, concurrency),
                .rateLimit(2000, per: .seconds(1), burst: 5),
            ]))
        let api = TestAPI(baseURL: server.baseURL, client: client)
        var random = Seeded(7)
        let tasks = (0..<400).map { _ in
            let route = Route(path: "/r-\(Int.random(in: 0..<60, using: &random))")
                .priority([.high, .normal, .low].randomElement(using: &random) ?? .normal)
                .timeout(
                    Bool.random(using: &random) ? .seconds(100) : .milliseconds(Int.random(in: 1...100, using: &random))
                )
            return Task { try await api.request(route).text() }
        }
        for task in tasks where Int.random(in: 0..<5, using: &random) == 0 { task.cancel() }
        var good = 0
        for task in tasks {
            switch await task.result {
            case .success: good += 1
            case .failure(let error):
                let isExpected =
                    error is CancellationError || error == HTTPError.timedOut || error == HTTPError.status(503)
                #expect(isExpected, "\(error)")
            }
        }
        #expect(good > 50)
        try await eventually("nothing is kept") { concurrency.keyCount == 0 && coalescing.count == 0 }
    }
}
