import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Rate limits, with a clock.
@Suite(.timeLimit(.minutes(3)))
struct RateLimitTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()

    private func client(_ policies: ClientPolicy...) -> HTTPClient {
        HTTPClient(transport: transport, configuration: .init(policies: policies), clock: clock)
    }

    @Test(arguments: 0..<20)
    func `requests never exceed the bucket, and no token is wasted`(seed: UInt64) throws {
        var random = Seeded(seed)
        let count = Int.random(in: 1...20, using: &random)
        let burst = Int.random(in: 1...10, using: &random)
        var place = RatePlace<Int>(TokenBucket(count, per: .seconds(1), burst: burst))
        let interval = Duration.seconds(1) / count
        var now = Duration.seconds(Int.random(in: -5...5, using: &random))
        var sent: [(time: Duration, waited: Bool)] = []
        for number in 0..<400 {
            now += .milliseconds(Int.random(in: 0...200, using: &random))
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                if place.takeNow(at: now) { sent.append((now, false)) } else { _ = place.line.append(number, .normal) }
            }
            // Until the next arrival, whatever has a token is sent.
            let end = now + .milliseconds(Int.random(in: 0...300, using: &random))
            loop: while true {
                switch place.step(at: now) {
                case .turn: sent.append((now, true))
                case .wait(let delay) where now + delay <= end:
                    #expect(delay > .zero && delay <= interval)
                    now += delay
                case .wait, .done: break loop
                }
            }
            now = end
        }
        for first in sent.indices {
            for last in first..<min(first + 60, sent.count) {
                let time = sent[last].time - sent[first].time
                #expect(interval * (last - first + 1 - burst) <= time)
            }
        }
    }

    @Test func `a request that arrives when a token is free does not overtake those waiting for it`() {
        var place = RatePlace<Int>(TokenBucket(1, per: .seconds(1), burst: 1))
        let first = place.takeNow(at: .zero)
        _ = place.line.append(1, .normal)
        let second = place.takeNow(at: .seconds(1))
        #expect(first && !second)
        if case .turn(1) = place.step(at: .seconds(1)) {} else { Issue.record("it is not the turn of the first") }
    }

    @Test func `an older response does not raise a quota, but a later window does`() {
        var place = RatePlace<Int>(TokenBucket(1000, per: .seconds(1), burst: 1000))
        for remaining in [1, 9] { place.learn([.init(name: "n", remaining: remaining, reset: 60)], at: .zero) }
        let taken = [place.takeNow(at: .seconds(1)), place.takeNow(at: .seconds(1))]
        place.inFlight = 0
        place.learn([.init(name: "n", remaining: 9, reset: 60)], at: .seconds(30))
        let later = place.takeNow(at: .seconds(30))
        #expect(taken == [true, false] && later)
    }

    @Test func `a returned token is available again and counts towards the server's quota`() {
        var place = RatePlace<Int>(TokenBucket(1, per: .seconds(1), burst: 1))
        place.learn([.init(name: "n", remaining: 1, reset: 60)], at: .zero)
        let taken = [place.takeNow(at: .zero), place.takeNow(at: .seconds(2))]
        place.giveBack()
        let again = place.takeNow(at: .seconds(2))
        #expect(taken == [true, false] && again && place.inFlight == 1)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `requests beyond the burst are sent one by one in order`() async throws {
        let client = client(.rateLimit(2, per: .seconds(1), burst: 3))
        let tasks = try (0..<6).map { try client.start("/\($0)") }
        #expect(transport.paths == ["/0", "/1", "/2"])
        for number in 4...6 {
            // A timer for each request that waits, and one for the next token.
            try await clock.waitForSleepers(6 - number + 2)
            clock.advance(by: .milliseconds(500))
            _ = try await transport.call(number)
            #expect(transport.calls.count == number)
        }
        #expect(transport.paths == (0..<6).map { "/\($0)" })
        for call in transport.calls { call.respond() }
        for task in tasks { _ = try await task.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a request waits no longer than allowed, and its error says when it could be sent`() async throws {
        let client = client(.rateLimit(1, per: .seconds(10), maximumWait: .seconds(25)))
        let tasks = try (0..<3).map { try client.start("/\($0)") }
        let failed = await failure { _ = try await client.start("/3").value }
        #expect(failed == HTTPError(.rateLimited("https://a.example.com")) && failed?.retryDelay == .seconds(30))
        #expect(failed?.kind.isRefusal == true && failed?.sendCount == 0)
        #expect(failed?.reason == "the request would wait longer than 25.0 s")
        // A request of high priority passes the others.
        let high = try client.start("/high") { $0[RequestPriority.self] = .high }
        try await clock.waitForSleepers(4)
        clock.advance(by: .seconds(10))
        #expect(try await transport.call(2).path == "/high")
        for task in tasks + [high] { task.cancel() }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a pause that grows longer ends the wait at its limit`() async throws {
        let client = client(.rateLimit(1, per: .seconds(1), burst: 2, maximumWait: .seconds(5)))
        let sent = try client.start("/0")
        _ = try client.start("/1")
        let waiting = try client.start("/2")
        try await clock.waitForSleepers(2)
        transport.calls[0].respond(429, headers: ["Retry-After": "60"])
        _ = try await sent.value
        clock.advance(by: .seconds(5))
        let failed = await failure { _ = try await waiting.value }
        #expect(failed == HTTPError(.rateLimited("https://a.example.com")) && failed?.retryDelay == .seconds(55))
    }

    /// A clock that runs code of its own when it is read.
    private struct ReadingClock: Clock {
        let time = ContinuousClock()
        let onRead: @Sendable () -> Void
        var now: ContinuousClock.Instant {
            onRead()
            return time.now
        }
        var minimumResolution: Duration { time.minimumResolution }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try await time.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test func `the clock, which may be the user's, is not read while the lock is held`() async throws {
        let limit = RateLimiting(TokenBucket(1, per: .milliseconds(1), burst: 1), maximumWait: .seconds(99), by: .host)
        let stub = StubTransport().on(.get, "/", .status(200))
        let client = HTTPClient(
            transport: stub, configuration: .init(policies: [ClientPolicy(.rate, limit)]),
            clock: ReadingClock { _ = limit.keyCount })
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 {
                group.addTask { try await client.send(HTTPRequest(.get, #require(URL(string: "https://h/")))).status }
            }
            for try await status in group { #expect(status == 200) }
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `requests that leave the queue leave no task behind`() async throws {
        let limit = RateLimiting(TokenBucket(1, per: .seconds(10), burst: 1), maximumWait: .seconds(99), by: .host)
        let client = client(ClientPolicy(.rate, limit))
        let tasks = try (0..<4).map { try client.start("/\($0)") { $0.timeout = .seconds(50) } }
        try await clock.waitForSleepers(4)
        for task in tasks.dropFirst() { task.cancel() }
        for task in tasks.dropFirst() { await #expect(throws: CancellationError.self) { try await task.value } }
        try await eventually("no task sleeps") { clock.sleeperCount == 0 }
        let late = try client.start("/late") { $0.timeout = .seconds(2) }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))
        await #expect(throws: HTTPError.timedOut) { try await late.value }
        try await eventually("no task sleeps") { clock.sleeperCount == 0 }
        // The cancelled requests took no token.
        clock.advance(by: .seconds(8))
        let next = try client.start("/next")
        try await transport.call(2).respond()
        _ = try await next.value
        transport.calls[0].respond()
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(arguments: [429, 503]) func `a response's Retry-After holds back all requests to its host`(status: Int)
        async throws
    {
        let client = client(.rateLimit(100, per: .seconds(1)))
        let first = try client.start("/0")
        transport.calls[0].respond(status, headers: ["Retry-After": "7"])
        _ = try await first.value
        let second = try client.start("/1")
        let other = try client.start("/other", host: "b.example.com")
        try await transport.call(2).respond()
        _ = try await other.value
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(6999))
        #expect(transport.paths == ["/0", "/other"])
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1))
        try await transport.call(3).respond()
        _ = try await second.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `Retry-After on a success does not hold back requests`() async throws {
        let client = client(.rateLimit(100, per: .seconds(1)))
        let first = try client.start("/0")
        transport.calls[0].respond(200, headers: ["Retry-After": "7"])
        _ = try await first.value
        let second = try client.start("/1")
        try await transport.call(2).respond()
        _ = try await second.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a server's quota is not exceeded, even with requests in flight`() async throws {
        let client = client(.rateLimit(100, per: .seconds(1), maximumWait: .seconds(600)))
        let tasks = try (0..<3).map { try client.start("/\($0)") }
        // Three are left, and two in flight may not be counted yet.
        transport.calls[0].respond(headers: ["RateLimit": "\"day\";r=3;t=30"])
        _ = try await tasks[0].value
        let more = try (3..<6).map { try client.start("/\($0)") }
        #expect(transport.paths == ["/0", "/1", "/2", "/3"])
        // An older answer does not raise the quota.
        transport.calls[1].respond(headers: ["RateLimit": "\"day\";r=9;t=30"])
        _ = try await tasks[1].value
        try await clock.waitForSleepers(3)
        clock.advance(by: .seconds(29))
        #expect(transport.calls.count == 4)
        try await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))
        for number in 5...6 { try await transport.call(number).respond() }
        for number in [2, 3] { transport.calls[number].respond() }
        for task in tasks + more { _ = try await task.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a host with nothing left to track is forgotten when there are many`() async throws {
        let limit = RateLimiting(TokenBucket(1, per: .seconds(1), burst: 1), maximumWait: .seconds(9), by: .host)
        let client = client(ClientPolicy(.rate, limit))
        for number in 0..<1000 {
            let task = try client.start("/", host: "h\(number).example.com")
            transport.calls[number].respond()
            _ = try await task.value
            clock.advance(by: .milliseconds(100))
        }
        #expect(limit.keyCount <= 140)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `clients with the same clock share a limit, whenever they were created`() async throws {
        let policy = ClientPolicy.rateLimit(1, per: .seconds(10))
        let first = client(policy)
        let task = try first.start("/0")
        clock.advance(by: .seconds(4))
        let second = client(policy)
        let waiting = try second.start("/1")
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(6))
        for call in [transport.calls[0], try await transport.call(2)] { call.respond() }
        for task in [task, waiting] { _ = try await task.value }
    }
}
