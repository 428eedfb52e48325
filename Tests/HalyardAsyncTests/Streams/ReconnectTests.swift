import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardAsync

/// Event streams that connect again.
@Suite(.timeLimit(.minutes(3)))
struct ReconnectTests {
    static let feed = Route(path: "/feed")
    static let quick = ReconnectPolicy.standard.with(delay: .milliseconds(1))

    static func stream(_ text: String) -> StubResponse { EventStreamTests.stream(text) }

    @Test("reconnects with the last ID after an end or a lost connection, until a 204")
    func reconnecting() async throws {
        let broken = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n"
        let server = try LoopbackServer().on(
            .get, "/api/feed", Self.stream("retry: 1\n\nid: 1\ndata: a\n\nid: 2\ndata: cut"),
            .raw(broken + "id: 3\ndata: b\n\n"), Self.stream("data: c\n\n"), Self.stream("id:\ndata: d\n\n"),
            Self.stream(": nothing\n\n"), .status(204))
        let events = try await TestAPI(server).request(Self.feed).events.reconnecting().all
        #expect(events.map(\.data) == ["a", "b", "c", "d"])
        #expect(events.map(\.id) == ["1", "3", "3", nil])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "3", "3", nil, nil])
        #expect(server.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    }

    @Test("consecutive attempts without an event are limited, and the last error is thrown")
    func attemptLimit() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/feed", Self.stream("data: a\n\n"),
            .raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Le"))
        let log = Log<String>()
        let error = await failure {
            let events = TestAPI(server).request(Self.feed).events.reconnecting(Self.quick.with(attempts: 3))
            for try await event in events { log.add(event.data) }
        }
        #expect(error == .connectionLost || error == HTTPError(.invalidResponse), "\(String(describing: error))")
        #expect(log.entries == ["a"])
        #expect(server.requests.count == 4)
    }

    @Test("a POST is not sent again unless the policy allows any method")
    func post() async throws {
        let chat = Route(path: "/feed", method: .post, params: ["prompt": "hello"])
        let server = try LoopbackServer()
            .on(.post, "/api/feed", Self.stream("id: 1\ndata: a\n\n"), Self.stream("data: b\n\n"), .status(204))
        let api = TestAPI(server)
        let error = await failure { for try await _ in api.request(chat).events.reconnecting(Self.quick) {} }
        #expect(error == HTTPError(.configuration("reconnecting")))
        #expect(server.requests.isEmpty)

        let events = api.request(chat).events.reconnecting(Self.quick.withAnyMethod())
        #expect(try await events.all.map(\.data) == ["a", "b"])
        #expect(server.requests.map(\.text) == Array(repeating: #"{"prompt":"hello"}"#, count: 3))
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
    }

    @Test("a connection that does not answer within the route's timeout is retried")
    func noAnswer() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            if connection.number == 0 { return connection.drain() }
            connection.write(
                "HTTP/1.1 \(connection.number == 1 ? "200 OK" : "204 No Content")\r\nConnection: close\r\n")
            connection.write("Content-Type: text/event-stream\r\n\r\n")
            if connection.number == 1 { connection.write("data: a\n\n") }
        }
        let events = TestAPI(baseURL: server.baseURL).request(Self.feed.timeout(.seconds(1))).events
        #expect(try await events.reconnecting(Self.quick).all.map(\.data) == ["a"])
    }

    @Test("canceling the request ends a stream that reconnected and one that waits to", arguments: [true, false])
    func cancellingRequest(waits: Bool) async throws {
        let connections = Counter()
        let server = try ScriptedServer { connection in
            connections.increment()
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n")
            if connection.number > 0 { connection.drain() }
        }
        let request = TestAPI(baseURL: server.baseURL).request(Self.feed)
        let policy = ReconnectPolicy.standard.with(delay: waits ? .seconds(1000) : .milliseconds(1))
            .with(maximumDelay: .seconds(1000))
        let log = Log<String>()
        let task = Task {
            await failure { for try await event in request.events.reconnecting(policy) { log.add(event.data) } }
        }
        try await eventually("the events are here") { log.entries.count == (waits ? 1 : 2) }
        request.cancel()
        #expect(await task.value == .cancelled)
        #expect(connections.count == (waits ? 1 : 2))
    }

    @Test("canceling the task ends the wait for another attempt immediately")
    func cancellingTask() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream("retry: 1000000\ndata: a\n\n"))
        let log = Log<String>()
        let task = Task {
            let policy = ReconnectPolicy.standard.with(maximumDelay: .seconds(1000))
            for try await event in TestAPI(server).request(Self.feed).events.reconnecting(policy) {
                log.add(event.data)
            }
        }
        try await eventually("the event is here") { log.entries == ["a"] }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "the delay doubles from the server's time up to the maximum, plus up to half of it",
        arguments: [0, 0.5, 0.999])
    func delays(random: Double) {
        let policy = ReconnectPolicy.standard
        func seconds(_ attempt: Int, _ requested: Duration?) -> Double {
            policy.delay(before: attempt, requested: requested, random: random) / .seconds(1)
        }
        for (attempt, requested, base) in [
            (1, nil, 3.0), (2, nil, 6), (1, Duration.seconds(1), 1), (4, .seconds(1), 8),
        ] {
            #expect(abs(seconds(attempt, requested) - base * (1 + random / 2)) < 0.001)
        }
    }
}

extension ReconnectPolicy {
    func with(
        attempts: Int? = nil, delay: Duration? = nil, maximumDelay: Duration? = nil
    ) -> ReconnectPolicy {
        var policy = self
        policy.attempts = attempts ?? policy.attempts
        policy.delay = delay ?? policy.delay
        policy.maximumDelay = maximumDelay ?? policy.maximumDelay
        return policy
    }
}
