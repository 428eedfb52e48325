import Foundation
import HalyardAsync
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Requests that wait while the system has no network.
struct NetworkWaitTests {
    private func decision(
        _ error: HTTPError, _ method: HTTPMethod = .get, to url: String = "https://api.example.com/", attempt: Int = 1,
        policy: RetryPolicy = .never.waitingForNetwork(.seconds(5)), hasNetwork: Bool = false
    ) throws -> Retry.Decision {
        let request = try HTTPRequest(method, try #require(URL(string: url)))
        return Retry(policy: policy, now: Date(), random: 0.5)
            .decision(after: .failure(error), to: request, attempt: attempt, remaining: nil) { _ in hasNetwork }
    }

    @Test("a request waits after a failure that a missing network may cause, whatever the number of its attempts")
    func kinds() throws {
        let lost = HTTPError.connectionLost
        for error in [lost, .timedOut, HTTPError(.cannotConnect("x")), HTTPError(.hostNotFound("x"))] {
            #expect(try decision(error) == .waitForNetwork(after: error))
            #expect(try decision(error, attempt: 9) == .waitForNetwork(after: error))
        }
        for error in [HTTPError(.tls(.expired)), .cancelled, HTTPError(.configuration("proxy"))] {
            #expect(try decision(error) == .end(because: nil))
        }
    }

    @Test("a request does not wait with a network, without a choice, or if it may have arrived")
    func others() throws {
        #expect(try decision(.connectionLost, hasNetwork: true) == .end(because: nil))
        #expect(try decision(.connectionLost, policy: .never) == .end(because: nil))
        #expect(try decision(.connectionLost, .post) == .end(because: nil))
        let unsent = HTTPError(.cannotConnect("x"))
        #expect(try decision(unsent, .post) == .waitForNetwork(after: unsent))
        let both = RetryPolicy.upTo(attempts: 2).waitingForNetwork(.seconds(5))
        #expect(try decision(unsent, policy: both, hasNetwork: true) == .retry(after: .milliseconds(250)))
    }

    @Test("there is always a route to this machine", arguments: ["127.0.0.1:1", "[::1]", "localhost", "a.localhost"])
    func loopback(host: String) throws {
        #expect(NetworkRoute.exists(to: try Origin(ofURL: "http://\(host)")))
    }

    /// A link-local address without a zone, to which no system has a route.
    private static let unreachable = "http://[fe80::1]:9/"

    @Test("a request ends with its error after the limit, and the log says that it has waited", .timeLimit(.minutes(2)))
    func limit() async throws {
        let (clock, events) = (SteppingClock(), Log<LogEvent>())
        let client = HTTPClient(
            transport: PlatformTransport.make(EngineConfiguration()),
            configuration: .init(retry: .upTo(attempts: 1).waitingForNetwork(.milliseconds(2500))),
            log: .custom { events.add($0) }, clock: clock)
        let api = TestAPI(baseURL: try #require(URL(string: Self.unreachable)), client: client)
        let error = await failure { try await api.request(.me).void() }
        #expect(error?.kind == .cannotConnect("http://[fe80::1]:9"))
        #expect(error?.reason?.hasSuffix("there was no network for 2.5 s") == true && error?.sendCount == 1)
        #expect(clock.waits.entries == [.milliseconds(2500)])
        #expect(events.entries.map(\.kind) == [.sent, .waitingForNetwork, .failed])
        #expect(events.entries[1].delay == .milliseconds(2500))
        #expect(events.entries[1].description.contains("waits for a network for up to 2.5 s after: "))
    }

    @Test("after the limit the rest of the policy applies", .timeLimit(.minutes(2)))
    func rest() async throws {
        let (clock, events) = (SteppingClock(), Log<LogEvent>())
        var policy = RetryPolicy.upTo(attempts: 2).waitingForNetwork(.seconds(2))
        policy.hasJitter = false
        let client = HTTPClient(
            transport: PlatformTransport.make(EngineConfiguration()), configuration: .init(retry: policy),
            log: .custom { events.add($0) }, clock: clock)
        let api = TestAPI(baseURL: try #require(URL(string: Self.unreachable)), client: client)
        let error = await failure { try await api.request(.me).void() }
        #expect(events.entries.map(\.kind) == [.sent, .waitingForNetwork, .retried, .sent, .failed])
        #expect(clock.waits.entries == [.seconds(2), .milliseconds(500)] && error?.sendCount == 2)
    }

    @Test("the deadline ends the wait", .timeLimit(.minutes(2)))
    func deadline() async throws {
        let clock = SteppingClock()
        let client = HTTPClient(
            transport: PlatformTransport.make(EngineConfiguration()),
            configuration: .init(timeout: .seconds(2), retry: .never.waitingForNetwork(.seconds(60))), clock: clock)
        let api = TestAPI(baseURL: try #require(URL(string: Self.unreachable)), client: client)
        let error = await failure { try await api.request(.me).void() }
        #expect(error != nil && clock.waits.entries == [.seconds(2)])
    }

    @Test("a cancellation ends the wait at once", .timeLimit(.minutes(2)))
    func cancellation() async throws {
        let waits = Latch()
        let client = HTTPClient(
            transport: PlatformTransport.make(EngineConfiguration()),
            configuration: .init(retry: .never.waitingForNetwork(.seconds(3600))),
            log: .custom { if $0.kind == .waitingForNetwork { waits.open() } })
        let api = TestAPI(baseURL: try #require(URL(string: Self.unreachable)), client: client)
        let request = Task { try await api.request(.me).void() }
        await waits.wait()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
    }
}

/// A clock whose time passes only while something sleeps.
private struct SteppingClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let waits = Log<Duration>()
    private let start = Instant.now

    var now: Instant { start + waits.entries.reduce(.zero, +) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        waits.add(now.duration(to: deadline))
        try Task.checkCancellation()
    }
}
