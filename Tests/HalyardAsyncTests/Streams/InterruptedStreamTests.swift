import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardAsync

/// What counts as an interruption of an event stream, and what ends its attempts.
@Suite(.timeLimit(.minutes(3)))
struct InterruptedStreamTests {
    static let feed = Route(path: "/feed")
    static let quick = ReconnectTests.quick

    static func stream(_ text: String) -> StubResponse { EventStreamTests.stream(text) }

    @Test("a route's own Last-Event-ID is kept until the server sets another")
    func ownLastEventID() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/feed", Self.stream(": nothing\n\n"), Self.stream("id: 8\ndata: a\n\n"),
            Self.stream("id\n\n"), .status(204))
        let route = Route(path: "/feed", headers: ["Last-Event-ID": "7"])
        let events = try await TestAPI(server).request(route).events.reconnecting(Self.quick).all
        #expect(events.map(\.id) == ["8"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["7", "7", "8", nil])
    }

    @Test("a saved ID is sent with the first request, and canceling the request ends the stream")
    func savedLastEventID() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/feed", Self.stream("data: a\n\n"), Self.stream("data: b\n\n"), .status(204))
        let events = TestAPI(server).request(Self.feed).events.lastEventID("7").reconnecting(Self.quick)
        #expect(try await events.all.map(\.id) == ["7", "7"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["7", "7", "7"])
        let request = TestAPI(server).request(Self.feed)
        request.cancel()
        let cancelled = await failure { for try await _ in request.events.lastEventID("7") {} }
        #expect(cancelled == .cancelled)
        #expect(server.requests.count == 3)
    }

    @Test("a saved ID that no header can hold fails, and nothing is sent", arguments: ["a\u{1}", "a\nb"])
    func invalidLastEventID(id: String) async throws {
        let server = try LoopbackServer()
        let error = await failure {
            for try await _ in TestAPI(server).request(Self.feed).events.lastEventID(id) {}
        }
        #expect(error == HTTPError(.invalidHeader("Last-Event-ID")))
        #expect(server.requests.isEmpty)
    }

    @Test("a server's ID that no header can hold is not sent")
    func unsendableID() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/feed", Self.stream("id: a\u{1}\ndata: a\n\n"), .status(204))
        let events = try await TestAPI(server).request(Self.feed).events.reconnecting(Self.quick).all
        #expect(events.map(\.id) == ["a\u{1}"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil])
    }

    @Test("streams that keep ending without an event fail after the last attempt")
    func emptyStreams() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream("data: a\n\n"), Self.stream(": hello\n\n"))
        let log = Log<String>()
        let error = await failure {
            let events = TestAPI(server).request(Self.feed).events.reconnecting(Self.quick.with(attempts: 3))
            for try await event in events { log.add(event.data) }
        }
        #expect(error == .connectionLost)
        #expect(error?.reason == "3 reconnections in a row have brought no event")
        #expect(error?.request != nil && error?.response?.status == 200)
        #expect(log.entries == ["a"])
        #expect(server.requests.count == 4)
    }

    @Test("a policy without attempts ends with the response")
    func noAttempts() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream("data: a\n\n"))
        let events = TestAPI(server).request(Self.feed).events.reconnecting(.upTo(attempts: 0))
        #expect(try await events.all.map(\.data) == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test("a connection that stayed open long resets the attempts, even if it sent only comments")
    func longConnections() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed") { [count = Counter()] _ in
            count.increment()
            return count.count == 8 ? .status(204) : Self.stream(": keep-alive\n\n")
        }
        let client = HTTPClient(transport: TestAPI.patientClient.transport, clock: LeapingClock(step: .seconds(60)))
        let api = TestAPI(server).with(\.client, client)
        let events = api.request(Self.feed).events.reconnecting(.upTo(attempts: 2))
        #expect(try await events.all.isEmpty)
        #expect(server.requests.count == 8)
    }

    @Test("a truncated compressed stream counts as an interruption, although its bytes are invalid")
    func compressedStream() async throws {
        // "id: 1\ndata: a\n\n" up to a sync flush, without the end of the gzip format.
        let bytes = try #require(Data(base64Encoded: "H4sIAAAAAAACA8pMsVIw5EpJLEm0Ukjk4gIAAAD//w=="))
        let cut = StubResponse.data(
            bytes, contentType: "text/event-stream", headers: ["Content-Encoding": "gzip"])
        let server = try LoopbackServer().on(.get, "/api/feed", cut, Self.stream("data: b\n\n"), .status(204))
        let single = await failure { for try await _ in TestAPI(server).request(Self.feed).events {} }
        #expect(single != nil && single != .connectionLost)
        server.on(.get, "/api/feed", cut, Self.stream("data: b\n\n"), .status(204))
        let events = TestAPI(server).request(Self.feed).events.reconnecting(Self.quick)
        #expect(try await events.all.map(\.data) == ["a", "b"])
        #expect(server.requests.last?.headers["Last-Event-ID"] == "1")
    }

    @Test("another content type fails even if the body never arrives", arguments: [false, true])
    func silentContentType(isLost: Bool) async throws {
        let connections = Counter()
        let server = try ScriptedServer { connection in
            connections.increment()
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
            if !isLost { connection.drain() }
        }
        let error = await failure {
            let request = TestAPI(baseURL: server.baseURL).request(Self.feed)
            for try await _ in request.events.reconnecting(Self.quick) {}
        }
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.reason == "the response is application/json, and not text/event-stream")
        #expect(connections.count == 1)
    }

    @Test(
        "jitter is added to every delay, and the server's time is never shortened",
        arguments: [0, 0.5, 0.999])
    func delays(random: Double) {
        let policy = ReconnectPolicy.standard
        for (attempt, requested, base) in [
            (1, nil, 3.0), (50, nil, 60), (1, Duration.seconds(300), 300), (9, .seconds(300), 300),
            (9, .seconds(1), 60),
        ] {
            let delay = policy.delay(before: attempt, requested: requested, random: random) / .seconds(1)
            #expect(abs(delay - base * (1 + random / 2)) < 0.001)
        }
    }
}

/// A clock that advances whenever it is read, and on which sleeps return at once.
private final class LeapingClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private let instant = Lock(ContinuousClock.now)
    private let step: Duration

    init(step: Duration) { self.step = step }
    var now: Instant {
        instant.withLock { instant in
            instant += step
            return instant
        }
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}
