import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Hedged requests, with a clock.
@Suite(.timeLimit(.minutes(3)))
struct HedgingTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()
    private let events = Log<LogEvent>()

    private func client(_ policies: ClientPolicy...) -> HTTPClient {
        HTTPClient(
            transport: transport, configuration: .init(policies: policies), log: .custom { [events] in events.add($0) },
            clock: clock)
    }

    /// Starts a request that is late, and waits for its second one.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func hedged(_ client: HTTPClient) async throws -> Task<HTTPResponse, any Error> {
        let task = try client.start("/a")
        _ = try await transport.call(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(200))
        _ = try await transport.call(2)
        return task
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a late request is sent again, the first response is used and the other request is canceled`()
        async throws
    {
        let client = client(.hedging(after: .milliseconds(200), budget: 1))
        let task = try await hedged(client)
        transport.calls[1].respond(200, "second")
        let response = try await task.value
        #expect(response.text == "second" && response.sendCount == 2)
        #expect(transport.cancelled.entries == ["/a"] && transport.calls.count == 2)
        #expect(
            events.entries.filter { $0.kind == .hedged }.map(\.description)
                == ["⇉ GET https://a.example.com/a a second time after 200 ms"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `the original request can still win`() async throws {
        let task = try await hedged(client(.hedging(after: .milliseconds(200), budget: 1)))
        transport.calls[0].respond(404, "first")
        let response = try await task.value
        #expect(response.status == 404 && response.sendCount == 2 && transport.cancelled.entries.count == 1)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a response in time sends no second request`() async throws {
        let client = client(.hedging(after: .milliseconds(200), budget: 1))
        let task = try client.start("/a")
        _ = try await transport.call(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(199))
        transport.calls[0].respond()
        #expect(try await task.value.sendCount == 1)
        #expect(transport.calls.count == 1 && clock.sleeperCount == 0)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(arguments: [429, 503]) func `a server failure waits for the other response`(status: Int) async throws {
        for isFirst in [true, false] {
            let test = HedgingTests()
            let task = try await test.hedged(test.client(.hedging(after: .milliseconds(200), budget: 1)))
            test.transport.calls[isFirst ? 0 : 1].respond(status)
            test.transport.calls[isFirst ? 1 : 0].respond(200, "good")
            #expect(try await task.value.text == "good")
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `two failures end with the one of the first request, even if it is an error`() async throws {
        let task = try await hedged(client(.hedging(after: .milliseconds(200), budget: 1)))
        transport.calls[1].respond(503)
        transport.calls[0].fail(HTTPError.connectionLost)
        await #expect(throws: HTTPError.connectionLost) { try await task.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `canceling a request ends both transfers`() async throws {
        let task = try await hedged(client(.hedging(after: .milliseconds(200), budget: 1)))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.cancelled.entries == ["/a", "/a"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `waiting for a limit does not cause a second request`() async throws {
        let client = client(.hedging(after: .milliseconds(200), budget: 1), .concurrency(perHost: 1))
        let first = try client.start("/first", .post)
        let waiting = try client.start("/a")
        for _ in 0..<100 {
            await Task.yield()
            clock.advance(by: .milliseconds(100))
        }
        transport.calls[0].respond()
        _ = try await first.value
        _ = try await transport.call(2)
        try await clock.waitForSleepers(1)
        transport.calls[1].respond()
        #expect(try await waiting.value.sendCount == 1)
        #expect(transport.paths == ["/first", "/a"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `writes, requests with bodies, streams and files are not hedged`() async throws {
        let client = client(.hedging(after: .milliseconds(200), budget: 1))
        let folder = try TemporaryFolder()
        let tasks = [
            try client.start("/0", .post), try client.start("/1", .delete),
            try client.start("/2", body: HTTPBody(Data([1]))), try client.start("/3", destination: .stream),
            try client.start("/4", destination: .file(folder.url.appending(path: "a"))),
        ]
        #expect(transport.calls.count == 5 && clock.sleeperCount == 0)
        for task in tasks { task.cancel() }
    }

    @Test(arguments: 0..<20) func `the budget is never exceeded`(seed: UInt64) throws {
        var random = Seeded(seed)
        let ratio = Double.random(in: 0...0.3, using: &random)
        var budget = TokenBucket(ratio: ratio, capacity: 10, isFull: false)
        var (requests, hedges, run) = (0, 0, 0)
        for _ in 0..<20_000 {
            if Bool.random(using: &random) {
                budget.deposit()
                requests += 1
                run = 0
            } else if budget.tryTake() {
                hedges += 1
                run += 1
                try #require(run <= 10)
            }
            try #require(Double(hedges) <= ratio * Double(requests) + 1e-6)
        }
        // It is used nearly whole when there is need.
        #expect(Double(hedges) >= ratio * Double(requests) - 10 - 1)
    }

    @Test func `the budget saves up at most ten hedged requests`() {
        var budget = TokenBucket(ratio: 0.5, capacity: 10, isFull: false)
        for _ in 0..<1000 { budget.deposit() }
        #expect((0..<20).filter { _ in budget.tryTake() }.count == 10)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `nothing is sent twice without a budget`() async throws {
        let client = client(.hedging(after: .milliseconds(200), budget: 0.5))
        for number in 1...5 {
            let task = try client.start("/a")
            let sends = number + (number - 1) / 2
            _ = try await transport.call(sends)
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(200))
            if number.isMultiple(of: 2) { _ = try await transport.call(sends + 1) }
            try await eventually("the timer has ended") { clock.sleeperCount == 0 }
            transport.calls[sends - 1].respond()
            #expect(try await task.value.sendCount == (number.isMultiple(of: 2) ? 2 : 1))
        }
        #expect(transport.calls.count == 7)
    }

    @Test func `the second request reports only its final progress`() async throws {
        let reports = Log<Int64>()
        let api = TestAPI(
            baseURL: try #require(URL(string: "https://a.example.com")),
            client: client(
                .hedging(after: .milliseconds(200), budget: 1)))
        let request = api.request(Route(path: "/a"))
        request.downloadProgress(on: .global()) { reports.add($0.completed) }
        let task = Task { try await request.response() }
        let first = try await transport.call(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(200))
        let second = try await transport.call(2)
        #expect(first.context.progress != nil && second.context.progress == nil)
        second.respond(200, "12345")
        _ = try await task.value
        try await eventually("the report comes") { reports.entries == [5] }
    }
}
