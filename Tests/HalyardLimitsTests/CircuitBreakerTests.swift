import Foundation
import HalyardAsync
import HalyardCache
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Circuit breakers in the pipeline, with a clock.
@Suite(.timeLimit(.minutes(3)))
struct CircuitBreakerTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()
    private let events = Log<LogEvent>()

    private func client(_ policies: ClientPolicy..., interceptors: [any Interceptor] = []) -> HTTPClient {
        HTTPClient(
            transport: transport, interceptors: interceptors, configuration: .init(policies: policies),
            log: .custom { [events] in events.add($0) }, clock: clock)
    }

    /// Sends a request and answers it with a status.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func send(_ status: Int, _ client: HTTPClient, host: String = "a.example.com") async throws {
        let task = try client.start("/", host: host)
        transport.calls.last?.respond(status)
        _ = try await task.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `an open circuit refuses immediately, names its origin and the time, and recovers`() async throws {
        let client = client(.circuitBreaker(failures: 2, pause: .seconds(15)))
        for _ in 0..<2 { try await send(503, client) }
        clock.advance(by: .seconds(3))
        let failed = await failure { _ = try await client.start("/x").value }
        #expect(failed == HTTPError(.circuitOpen("https://a.example.com")) && failed?.retryDelay == .seconds(12))
        #expect(
            failed?.description
                == "The circuit of https://a.example.com is open: requests to it have failed, and it is tried again in "
                + "12.0 s (GET https://a.example.com/x)")
        // Another origin has its own circuit.
        try await send(200, client, host: "b.example.com")
        #expect(transport.calls.count == 3)
        clock.advance(by: .seconds(12))
        let probe = try client.start("/probe")
        let refused = await failure { _ = try await client.start("/x").value }
        #expect(refused == HTTPError(.circuitOpen("https://a.example.com")) && refused?.retryDelay == nil)
        transport.calls.last?.respond(200)
        _ = try await probe.value
        try await send(200, client)
        #expect(
            events.entries.filter { $0.kind == .circuit }.map(\.description) == [
                "⏚ the circuit of https://a.example.com is open, after 2 failures of 2, for 15.0 s",
                "⏚ the circuit of https://a.example.com is half-open",
                "⏚ the circuit of https://a.example.com is closed",
            ])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a refused request is not retried or counted as sent, and a cache may answer it`() async throws {
        let policies: [ClientPolicy] = [.circuitBreaker(failures: 1), .cache(.memory())]
        let client = HTTPClient(
            transport: transport, configuration: .init(retry: .upTo(attempts: 3), policies: policies), clock: clock)
        let fresh = try client.start("/stored")
        transport.calls[0].respond(headers: ["Cache-Control": "max-age=1, stale-if-error=60"], "stale")
        _ = try await fresh.value
        clock.advance(by: .seconds(2))
        let failing = try client.start("/x", .post)
        transport.calls[1].respond(500)
        _ = try await failing.value
        let failed = await failure { _ = try await client.start("/x").value }
        #expect(failed == HTTPError(.circuitOpen("https://a.example.com")) && failed?.sendCount == 0)
        #expect(try await client.start("/stored").value.text == "stale")
        #expect(transport.calls.count == 2 && clock.sleeperCount == 0)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a canceled probe makes room for another`() async throws {
        let client = client(.circuitBreaker(failures: 1, pause: .seconds(1)))
        try await send(500, client)
        clock.advance(by: .seconds(1))
        let probe = try client.start("/probe")
        probe.cancel()
        await #expect(throws: CancellationError.self) { try await probe.value }
        try await send(200, client)
        try await send(200, client)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `requests waiting for a slot are not sent once the circuit is open`() async throws {
        let client = client(.circuitBreaker(failures: 1), .concurrency(perHost: 1))
        let tasks = try (0..<3).map { try client.start("/\($0)") }
        transport.calls[0].fail(HTTPError.connectionLost)
        await #expect(throws: HTTPError.connectionLost) { try await tasks[0].value }
        for task in tasks.dropFirst() {
            await #expect(throws: HTTPError(.circuitOpen("https://a.example.com"))) { try await task.value }
        }
        #expect(transport.paths == ["/0"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `the deadline of a client with interceptors counts as a failure of the origin`() async throws {
        struct Passing: Interceptor {
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                try await next.proceed(request)
            }
        }
        let client = client(.circuitBreaker(failures: 1), interceptors: [Passing()])
        let task = try client.start("/slow") { $0.timeout = .seconds(2) }
        _ = try await transport.call(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await #expect(throws: HTTPError.timedOut) { try await task.value }
        await #expect(throws: HTTPError(.circuitOpen("https://a.example.com"))) { try await client.start("/x").value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a closure decides which outcomes count, or else the default does`() async throws {
        let client = client(
            .circuitBreaker(failures: 1) { outcome in
                if case .success(let response) = outcome, response.status == 429 { .failure } else { .success }
            })
        try await send(503, client)
        try await send(429, client)
        await #expect(throws: HTTPError(.circuitOpen("https://a.example.com"))) { try await client.start("/x").value }

        func outcome(_ status: Int) throws -> CircuitOutcome {
            CircuitOutcome.standard(
                .success(HTTPResponse(status: status, url: try #require(URL(string: "https://h/")))))
        }
        for (status, expected) in [
            (200, CircuitOutcome.success), (304, .success), (404, .success), (429, .success), (501, .success),
            (500, .failure), (502, .failure), (503, .failure), (504, .failure),
        ] { #expect(try outcome(status) == expected) }
        for kind in [
            HTTPError.Kind.hostNotFound("h"), .cannotConnect("h"), .tls(.expired), .connectionLost, .timedOut,
            .invalidResponse,
        ] { #expect(CircuitOutcome.standard(.failure(HTTPError(kind))) == .failure) }
        for error in [
            HTTPError(.bodyTooLarge(limit: 1)), HTTPError(.invalidHeader("a")), HTTPError(.queueFull("h")),
            CancellationError(),
        ] as [any Error] { #expect(CircuitOutcome.standard(.failure(error)) == .ignored) }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `origins with nothing left to track are forgotten when there are many`() async throws {
        let breaker = CircuitBreaker(
            .init(failures: 5, ratio: 0.5, window: .seconds(10), pause: .seconds(5), probes: 1), CircuitOutcome.standard
        )
        let client = client(ClientPolicy(.sending, CircuitMeter(breaker: breaker)))
        for number in 0..<1000 {
            try await send(200, client, host: "h\(number).example.com")
            clock.advance(by: .seconds(1))
        }
        #expect(breaker.originCount <= 140)
    }
}
