import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Who waits for a request, and what happens when they stop waiting.
@Suite(.timeLimit(.minutes(3)))
struct SharingTests {
    struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient.shared
    }

    @TaskLocal static var trace = "none"

    /// Tells in which task, and with which task-local values, a request is sent.
    struct Witness: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            var response = try await next.proceed(request)
            response.headers["X-Task"] = "\(currentTask())"
            response.headers["X-Trace"] = SharingTests.trace
            return response
        }
    }

    static func currentTask() -> Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    @Test func `an await that nobody can join runs in the caller's own task`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        let api = API(baseURL: server.baseURL, client: HTTPClient(interceptors: [Witness()]))
        let response = try await api.request(Route(path: "/")).response()
        #expect(response.headers["X-Task"] == "\(Self.currentTask())")
    }

    @Test func `a request that is held elsewhere has a task of its own, with the caller's task-local values`()
        async throws
    {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        let api = API(baseURL: server.baseURL, client: HTTPClient(interceptors: [Witness()]))
        let request = api.request(Route(path: "/"))
        let response = try await Self.$trace.withValue("caller") { try await request.response() }
        #expect(response.headers["X-Task"] != "\(Self.currentTask())")
        #expect(response.headers["X-Trace"] == "caller")
        #expect(try await request.response().headers["X-Trace"] == "caller")
        #expect(server.requests.count == 1)
    }

    @Test func `of two who wait one may leave, and the other gets the response`() async throws {
        let (server, gate) = try Self.gated()
        let request = API(baseURL: server.baseURL).request(Route(path: "/"))
        let first = Task { try await request.text() }
        let second = Task { try await request.text() }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == "ok")
    }

    @Test func `when the last one leaves the transfer ends, and who comes later is told so`() async throws {
        let (server, gate) = try Self.gated()
        defer { gate.open() }
        let request = API(baseURL: server.baseURL).request(Route(path: "/"))
        let waiting = (0..<3).map { _ in Task { try await request.text() } }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        await #expect(throws: HTTPError.cancelled) { try await request.text() }
    }

    /// Keeps what was called off from ending until it is let.
    struct Slow: Interceptor {
        let mayEnd: Lock<Bool>

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            do { return try await next.proceed(request) } catch {
                try await eventually("it may end") { mayEnd.withLock { $0 } }
                throw error
            }
        }
    }

    @Test func `who joins what was just called off is told so in a task that was not cancelled`() async throws {
        let (server, gate) = try Self.gated()
        defer { gate.open() }
        let mayEnd = Lock(false)
        let client = HTTPClient(interceptors: [Slow(mayEnd: mayEnd)])
        let request = API(baseURL: server.baseURL, client: client).request(Route(path: "/"))
        let first = Task { try await request.text() }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let (error, isCancelled) = await withCheckedContinuation { told in
            request.responseText { told.resume(returning: ($0.error, Task.isCancelled)) }
            mayEnd.withLock { $0 = true }
        }
        #expect(error as? HTTPError == HTTPError.cancelled)
        #expect(!isCancelled)
    }

    @Test func `a request that was started for its own sake goes on when a reader leaves`() async throws {
        let (server, gate) = try Self.gated()
        let request = API(baseURL: server.baseURL).request(Route(path: "/")).start()
        let reader = Task { try await request.text() }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        gate.open()
        #expect(try await request.text() == "ok")
    }

    private static func gated() throws -> (LoopbackServer, Gate) {
        let gate = Gate()
        let server = try LoopbackServer().on(.get, "/") { _ in
            gate.wait()
            return .text("ok")
        }
        return (server, gate)
    }
}
