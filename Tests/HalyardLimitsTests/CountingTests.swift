import Foundation
import HalyardCache
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// What the policies of a client did, as counts.
@Suite(.timeLimit(.minutes(3)))
struct CountingTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()
    private let counter = EventCounter()

    private func request(_ path: String) throws -> HTTPRequest {
        try HTTPRequest(.get, try #require(URL(string: "https://a.example.com\(path)")))
    }

    private func client(_ policies: ClientPolicy...) -> HTTPClient {
        HTTPClient(
            transport: transport, configuration: .init(policies: policies), log: .counting(counter), clock: clock)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `waits, refusals and circuits are counted`() async throws {
        let client = client(
            .bulkhead(1, queue: 1), .circuitBreaker(failures: 1, pause: .seconds(10)))
        let first = try client.start("/1")
        let second = try client.start("/2")
        let full = await failure { _ = try await client.send(request("/3")) }
        #expect(full?.kind.isRefusal == true)
        clock.advance(by: .seconds(2))
        transport.calls[0].respond(200)
        _ = try await first.value
        try await transport.call(2).respond(503)
        _ = try await second.value
        let refused = await failure { _ = try await client.send(request("/4")) }
        #expect(refused == HTTPError(.circuitOpen("https://a.example.com")))
        clock.advance(by: .seconds(10))
        let probe = try client.start("/5")
        transport.calls.last?.respond(200)
        _ = try await probe.value
        let counts = counter.counts
        #expect(counts[.delayed] == 1 && counts.totalWaitingTime == .seconds(2) && counts[.sent] == 3)
        #expect(counts.refusals == 2 && counts.failures == 2 && counts.timeouts == 0)
        // It has opened, was half-open, and has closed.
        #expect(counts.openedCircuits == 1 && counts[.circuit] == 3)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a wait that ends with an error is counted too`() async throws {
        let client = client(.concurrency(perHost: 1))
        let first = try client.start("/1")
        let second = try client.start("/2") { $0.timeout = .seconds(3) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(await failure { _ = try await second.value } == .timedOut)
        transport.calls[0].respond(200)
        _ = try await first.value
        #expect(counter.counts[.delayed] == 1 && counter.counts.totalWaitingTime == .seconds(3))
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `coalesced, hedged and cached requests are counted`() async throws {
        let client = client(
            .cache(.memory()), .coalescing(), .hedging(after: .milliseconds(200), budget: 1))
        let tasks = [try client.start("/a"), try client.start("/a")]
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(200))
        try await transport.call(2).respond(200, headers: ["Cache-Control": "max-age=60"], "a")
        for task in tasks { #expect(try await task.value.text == "a") }
        #expect(try await client.start("/a").value.text == "a")
        let counts = counter.counts
        #expect(counts[.hedged] == 1 && counts[.coalesced] == 1 && counts[.cached] == 1)
    }
}
