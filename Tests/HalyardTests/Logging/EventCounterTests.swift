import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard

/// The counts of events.
struct EventCounterTests {
    private let counter = EventCounter()

    @Test func `requests on the wire are counted by event and status, with times and bytes`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/moved", .status(302, headers: ["Location": "/me"])).on(.get, "/me", .text("hello"))
            .on(.get, "/busy", .status(503, retryAfter: 0), .status(503, retryAfter: 0), .text("ok"))
            .on(.post, "/none", .status(404))
        let client = HTTPClient(
            configuration: .init(retry: .upTo(attempts: 3)), log: .combined(.silent, .counting(counter)))
        let api = TestAPI(baseURL: server.baseURL, client: client)
        #expect(try await api.request(Route(path: "/moved")).text() == "hello")
        #expect(try await api.request(Route(path: "/busy")).text() == "ok")
        await #expect(throws: HTTPError.status(404)) {
            try await api.request(Route(path: "/none", method: .post, body: .text("four"))).void()
        }
        await #expect(throws: HTTPError(.invalidHeader("X-Bad"))) {
            try await api.request(Route(path: "/never", headers: ["X-Bad": "a\nb"])).void()
        }

        let counts = counter.counts
        #expect(counts[.sent] == 6 && counts[.response] == 6 && counts[.redirected] == 1 && counts[.retried] == 2)
        #expect(counts.failures == 2 && counts[.failed] == 2 && counts.timeouts == 0 && counts.cancellations == 0)
        #expect(counts.statuses == [200: 2, 302: 1, 404: 1, 503: 2])
        #expect(counts.totalResponseTime > .zero && counts.bytesSent == 4 && counts.bytesReceived == 7)
        #expect(counts[.cached] == 0 && counts.totalWaitingTime == .zero)
    }

    @Test func `failures are counted by kind`() async throws {
        let stub = StubTransport().on(.get, "/late", .fail(.timedOut)).on(.get, "/never", .text("").stalling())
        let client = HTTPClient(transport: stub, log: .counting(counter))
        let api = TestAPI(baseURL: try #require(URL(string: "https://api.example.com")), client: client)
        await #expect(throws: HTTPError.timedOut) { try await api.request(Route(path: "/late")).void() }
        let request = api.request(Route(path: "/never")).start()
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await request.void() }
        try await eventually("both are counted") { counter.counts.failures == 2 }
        #expect(counter.counts.timeouts == 1 && counter.counts.cancellations == 1 && counter.counts.refusals == 0)
    }

    @Test func `a reset returns the counts and starts again at zero`() {
        let log = EventLog.counting(counter)
        log(LogEvent(.sent, .init(), nil))
        var response = LogEvent(.response, .init(), nil)
        response.response = HTTPResponse(status: 999, url: URL(filePath: "/"))
        log(response)
        let before = counter.reset()
        #expect(before[.sent] == 1 && before.statuses == [0: 1])
        #expect(counter.counts == EventCounts() && counter.counts[.sent] == 0)
    }

    @Test func `several tasks can count at once`() async {
        let log = EventLog.counting(counter)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { log(LogEvent(.sent, .init(), nil)) } } }
        }
        #expect(counter.counts[.sent] == 8000)
    }
}
