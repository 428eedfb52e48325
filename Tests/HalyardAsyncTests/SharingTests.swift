import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Tasks that wait for the same request, and cancellations of them.
@Suite(.timeLimit(.minutes(3)))
struct SharingTests {
    struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient.shared
    }

    @TaskLocal static var trace = "none"

    /// Records the task, and the task-local values, with which a request is sent.
    struct Witness: Transport {
        let sends = Counter()

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            sends.increment()
            var response = HTTPResponse(status: 200, url: request.url)
            response.headers["X-Task"] = "\(currentTask())"
            response.headers["X-Trace"] = SharingTests.trace
            return response
        }
    }

    private let witness = Witness()
    private let api: API

    init() throws {
        api = API(
            baseURL: try #require(URL(string: "https://api.example.com")), client: HTTPClient(transport: witness))
    }

    static func currentTask() -> Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    @Test func `a single await runs in the caller's own task`() async throws {
        let response = try await api.request(Route(path: "/")).response()
        #expect(response.headers["X-Task"] == "\(Self.currentTask())")
    }

    @Test func `a request with other references runs in its own task with the caller's task-local values`()
        async throws
    {
        let request = api.request(Route(path: "/"))
        let response = try await Self.$trace.withValue("caller") { try await request.response() }
        #expect(response.headers["X-Task"] != "\(Self.currentTask())")
        #expect(response.headers["X-Trace"] == "caller")
        #expect(try await request.response().headers["X-Trace"] == "caller")
        #expect(witness.sends.count == 1)
    }

    @Test func `canceling one of two waiting tasks leaves the response to the other`() async throws {
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

    @Test func `canceling the last waiting task ends the transfer, and later observers get the cancellation`()
        async throws
    {
        let (server, gate) = try Self.gated()
        defer { gate.open() }
        let request = API(baseURL: server.baseURL).request(Route(path: "/"))
        let waiting = (0..<3).map { _ in Task { try await request.text() } }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        await #expect(throws: HTTPError.cancelled) { try await request.text() }
    }

    /// Keeps a cancelled request from ending until the test allows it.
    struct Slow: Interceptor {
        let mayEnd: Lock<Bool>

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            do { return try await next.proceed(request) } catch {
                try await eventually("it may end") { mayEnd.withLock { $0 } }
                throw error
            }
        }
    }

    @Test func `a task that awaits a canceled request gets the request's error`() async throws {
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

    @Test func `a request started by start() continues after its observer is canceled`() async throws {
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
