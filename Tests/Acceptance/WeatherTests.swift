import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Redirects, retries and deadlines, over the wire.
@Suite(.timeLimit(.minutes(3)))
struct WeatherTests {
    private let server: LoopbackServer
    private let clock = ImpatientClock()

    init() throws { server = try LoopbackServer() }

    private func api(_ configuration: HTTPClient.Configuration = .init(), over engine: Engine? = nil) -> TestAPI {
        TestAPI(server).with(
            \.client,
            HTTPClient(
                transport: engine?.make() ?? HTTPClient.shared.transport, configuration: configuration,
                clock: clock))
    }

    @Test("redirects are followed, and the response lists them")
    func followed() async throws {
        server.on(.get, "/api/a", .status(302, headers: ["Location": "b?x=1"]))
            .on(.get, "/api/b", .status(307, headers: ["Location": "/c"])).on(.get, "/c", .text("here"))
        let response = try await api().request(Route(path: "a")).response()
        #expect(response.text == "here" && response.sendCount == 3)
        #expect(response.redirects.map(\.status) == [302, 307])
        #expect(response.url.path() == "/c" && response.redirects.first?.url.path() == "/api/a")
        #expect(server.requests.map(\.target) == ["/api/a", "/api/b?x=1", "/c"])
    }

    @Test(
        "another origin gets no credentials, and a redirect back does not restore them", .faults(51),
        arguments: Engine.wire)
    func foreign(engine: Engine) async throws {
        let other = try LoopbackServer().on(.get, "/x", .status(302, headers: ["Location": "\(server.baseURL)/home"]))
        server.on(.get, "/api/a", .status(302, headers: ["Location": "\(other.baseURL)/x"])).on(
            .get, "/home", .status(200))
        let headers: HTTPHeaders = ["Authorization": "Bearer s", "Cookie": "a=b", "X-Api-Key": "s", "X-Plain": "1"]
        try await api(over: engine).with(\.additionalHeaders, headers).request(Route(path: "a")).void()
        for request in [other.requests[0], server.requests[1]] {
            #expect(request.headers["Authorization"] == nil && request.headers["Cookie"] == nil)
            #expect(request.headers["X-Plain"] == "1")
        }
        #expect(server.requests[0].headers["Authorization"] == "Bearer s")
    }

    @Test(
        "a redirect loop ends at the limit, and a route can opt out of redirects", .faults(54), arguments: Engine.wire)
    func circle(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(302, headers: ["Location": "/api/a"]))
        let error = await failure { try await api(over: engine).request(Route(path: "a")).void() }
        #expect(error?.kind == .tooManyRedirects(limit: 20) && error?.sendCount == 21)
        let never = Route(path: "a").redirects(.never)
        #expect(await failure { try await api(over: engine).request(never).void() }?.kind == .status(302))
        #expect(server.requests.count == 22)
    }

    @Test("a POST becomes a GET after a 303 and keeps its body after a 308", .faults(50), arguments: Engine.wire)
    func methods(engine: Engine) async throws {
        server.on(.post, "/api/a", .status(303, headers: ["Location": "/done"])).on(.get, "/done", .text("done"))
            .on(.post, "/api/b", .status(308, headers: ["Location": "/again"])).on(.post, "/again", .text("again"))
        #expect(try await api(over: engine).request(Route(path: "a", method: .post, params: ["x": 1])).text() == "done")
        #expect(
            try await api(over: engine).request(Route(path: "b", method: .post, params: ["x": 1])).text() == "again")
        #expect(
            server.requests.map { "\($0.method) \($0.text)" } == [
                "POST {\"x\":1}", "GET ", "POST {\"x\":1}", "POST {\"x\":1}",
            ])
    }

    @Test(
        "temporary failures are retried with growing delays, and the outcome counts the attempts", .faults(46),
        arguments: Engine.wire)
    func retried(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(503), .status(500), .text("at last"))
        let response = try await api(.init(retry: .upTo(attempts: 3)), over: engine).request(Route(path: "a"))
            .response()
        #expect(response.text == "at last" && response.sendCount == 3)
        #expect(clock.waits.entries.count == 2 && clock.waits.entries.allSatisfy { $0 <= .seconds(1) })
        server.on(.get, "/api/b", .status(503))
        let error = await failure {
            try await api(.init(retry: .upTo(attempts: 3)), over: engine).request(Route(path: "b")).void()
        }
        #expect(error?.kind == .status(503) && error?.sendCount == 3)
        #expect(server.requests.count == 6)
    }

    @Test("no request is retried by default")
    func once() async throws {
        server.on(.get, "/api/a", .status(503), .text("at last"))
        #expect(await failure { try await api().request(Route(path: "a")).void() }?.kind == .status(503))
        #expect(try await api().request(Route(path: "a")).text() == "at last")
    }

    @Test("a retry waits for Retry-After", .faults(47), arguments: Engine.wire)
    func retryAfter(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(503, retryAfter: 7), .text("at last"))
        #expect(
            try await api(.init(retry: .upTo(attempts: 2)), over: engine).request(Route(path: "a")).text() == "at last")
        #expect(
            clock.waits.entries.count == 1 && clock.waits.entries[0] > .seconds(6)
                && clock.waits.entries[0] <= .seconds(7))
    }

    @Test(
        "a POST is sent once; with an idempotency key it is retried with the same key", .faults(45),
        arguments: Engine.wire)
    func post(engine: Engine) async throws {
        server.on(.post, "/api/a", .status(503))
        let plain = Route(path: "a", method: .post, params: ["x": 1])
        #expect(
            await failure { try await api(.init(retry: .upTo(attempts: 3)), over: engine).request(plain).void() }?
                .sendCount == 1)
        let keyed = Route(path: "a", method: .post, params: ["x": 1]).retry(.upTo(attempts: 3).withIdempotencyKey())
        #expect(await failure { try await api(over: engine).request(keyed).void() }?.sendCount == 3)
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] == nil && keys[1] != nil && keys[1] == keys[2] && keys[2] == keys[3])
        #expect(await failure { try await api(over: engine).request(keyed).void() }?.sendCount == 3)
        #expect(server.requests[4].headers["Idempotency-Key"] != keys[1])
    }

    @Test("network interceptors see every send; other interceptors see the request once")
    func interceptors() async throws {
        struct Counting: Interceptor {
            let counter: Counter
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                counter.increment()
                return try await next.proceed(request)
            }
        }
        server.on(.get, "/api/a", .status(503), .status(302, headers: ["Location": "/b"])).on(.get, "/b", .text("b"))
        let (outer, inner) = (Counter(), Counter())
        let client = HTTPClient(
            transport: HTTPClient.shared.transport, interceptors: [Counting(counter: outer)],
            networkInterceptors: [Counting(counter: inner)], configuration: .init(retry: .upTo(attempts: 2)),
            clock: clock)
        try await TestAPI(server).with(\.client, client).request(Route(path: "a")).void()
        #expect(outer.count == 1 && inner.count == 3)
    }

    /// A clock whose time passes only while a task sleeps.
    private final class Hourglass: Clock {
        typealias Instant = ContinuousClock.Instant
        private let start = ContinuousClock.now
        private let passed = Lock(Duration.zero)
        var now: Instant { start + passed.withLock { $0 } }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            passed.withLock { $0 = max($0, start.duration(to: deadline)) }
        }
    }

    @Test("the deadline includes attempts and delays, and no attempt follows it", .faults(39))
    func deadline() async throws {
        let (stub, clock) = (StubTransport().on(.get, "/a", .status(503)), Hourglass())
        let start = clock.now
        let patient = policy { ($0.delay, $0.attempts) = (.milliseconds(300), 99) }
        let client = HTTPClient(
            transport: stub, configuration: .init(timeout: .seconds(1), retry: patient), clock: clock)
        let error = await failure { try await TestAPI(stub).with(\.client, client).request(Route(path: "a")).void() }
        // At 0, 0.3 and 0.9 seconds; the next would be at 2.1.
        #expect(error?.kind == .status(503) && error?.sendCount == 3)
        #expect(start.duration(to: clock.now) == .milliseconds(900))
    }

    private func policy(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.upTo(attempts: 3)
        policy.hasJitter = false
        change(&policy)
        return policy
    }

    @Test(
        "a silent server on the second attempt does not extend the deadline", .faults(39),
        arguments: Engine.wire)
    func silence(engine: Engine) async throws {
        let gate = Gate()
        defer { gate.open() }
        let count = Counter()
        server.on(.get, "/api/a") { _ in
            count.increment()
            if count.count > 1 { gate.wait() }
            return .status(503)
        }
        let client = engine.client(
            .init(timeout: .seconds(1), retry: policy { $0.delay = .milliseconds(600) }))
        let start = ContinuousClock.now
        let error = await failure {
            try await TestAPI(server).with(\.client, client).request(Route(path: "a")).void()
        }
        let elapsed = start.duration(to: .now)
        // On a busy machine, the first attempt may leave no time for a second one.
        #expect([.timedOut, .status(503)].contains(error?.kind))
        if error?.kind == .timedOut {
            #expect(error?.reason == "it took longer than 1.0 seconds" && elapsed >= .seconds(1))
        }
        // The strict limits are asserted on an idle machine only: `.ci/checks/promptness`.
        if ProcessInfo.processInfo.environment["HALYARD_STRESS"] != nil {
            #expect(error?.kind == .timedOut && error?.sendCount == 2 && elapsed < .milliseconds(1250))
        }
    }

    @Test("canceling ends the delay before the next attempt immediately", .faults(44), arguments: Engine.wire)
    func cancelled(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(503, retryAfter: 50))
        let client = engine.client(.init(retry: .upTo(attempts: 2)))
        let task = Task { [server] in
            try await TestAPI(server).with(\.client, client).request(Route(path: "a")).void()
        }
        try await eventually("the first attempt is over") { server.requests.count == 1 }
        task.cancel()
        let start = ContinuousClock.now
        await #expect(throws: CancellationError.self) { try await task.value }
        // The await ends before the delay does. `.ci/checks/promptness` asserts the strict limit.
        let isQuiet = ProcessInfo.processInfo.environment["HALYARD_STRESS"] != nil
        #expect(start.duration(to: .now) < (isQuiet ? .milliseconds(500) : .seconds(40)))
        #expect(server.requests.count == 1)
    }

    @Test("one budget applies to all requests of a client", .faults(48), arguments: Engine.wire)
    func budget(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(503))
        let api = api(.init(retry: .upTo(attempts: 9), retryBudget: .init(ratio: 0.1, reserve: 5)), over: engine)
        for _ in 0..<20 { _ = await failure { try await api.request(Route(path: "a")).void() } }
        #expect(server.requests.count <= 20 + 5 + 2)
        #expect(server.requests.count >= 20 + 5)
    }

    @Test("the error and the log say what kept a request from being retried")
    func notRetried() async throws {
        let notes = Log<String>()
        let client = HTTPClient(
            transport: HTTPClient.shared.transport,
            configuration: .init(retry: .upTo(attempts: 2), retryBudget: .init(ratio: 0, reserve: 0)),
            log: .custom { if $0.kind == .notRetried { notes.add($0.note ?? "") } }, clock: clock)
        let api = TestAPI(server).with(\.client, client)
        server.on(.get, "/api/a", .status(503)).on(.get, "/api/b", .status(200).resetting())
        let refused = await failure { try await api.request(Route(path: "a")).void() }
        #expect(refused == .status(503) && refused?.reason?.contains("retryBudget") == true)
        let lost = await failure { try await api.request(Route(path: "b")).void() }
        #expect(lost == .connectionLost && lost?.reason?.contains("retryBudget") == true)
        #expect(notes.entries == Array(repeating: "the client's retryBudget is used up", count: 2))
    }

    @Test("redirects and retries are logged as events")
    func events() async throws {
        server.on(.get, "/api/a", .status(503), .status(302, headers: ["Location": "/b"])).on(.get, "/b", .text("b"))
        let events = Log<String>()
        let client = HTTPClient(
            transport: HTTPClient.shared.transport, configuration: .init(retry: .upTo(attempts: 2)),
            log: .custom { events.add("\($0.kind)") }, clock: clock)
        try await TestAPI(server).with(\.client, client).request(Route(path: "a")).void()
        #expect(
            events.entries.filter { $0 != "metrics" } == [
                "sent", "response", "retried", "sent", "response", "redirected", "sent", "response",
            ])
    }

    @Test("the event for a retry gives the number of the attempt, not counting redirects")
    func attempt() async throws {
        server.on(.get, "/api/a", .status(302, headers: ["Location": "/b"]))
            .on(.get, "/b", .status(503), .status(503), .text("b"))
        let attempts = Log<Int>()
        let client = HTTPClient(
            transport: HTTPClient.shared.transport, configuration: .init(retry: .upTo(attempts: 3)),
            log: .custom { if let attempt = $0.attempt { attempts.add(attempt) } }, clock: clock)
        let response = try await TestAPI(server).with(\.client, client).request(Route(path: "a")).response()
        #expect(attempts.entries == [2, 3] && response.sendCount == 4)
    }

    @Test("upload progress restarts with each attempt and ends with the whole body")
    func progress() async throws {
        server.on(.put, "/api/a", .status(503), .status(204))
        let seen = Log<Int64>()
        let route = Route(path: "a", method: .put, body: .data(Data.noise(3 << 20)))
        let request = api(.init(retry: .upTo(attempts: 2))).request(route).uploadProgress(on: .global()) {
            seen.add($0.completed)
        }
        try await request.void()
        #expect(server.requests.count == 2)
        #expect(seen.entries.last == 3 << 20)
    }
}
