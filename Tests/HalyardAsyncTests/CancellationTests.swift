import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A8 of the acceptance table, and everything that cancels a request.
@Suite(.timeLimit(.minutes(3)))
struct CancellationTests {
    /// A server that does not respond before its gate is open, and then sends an incomplete response: a cancelled
    /// request cannot complete before its engine is notified.
    static func gated() throws -> (LoopbackServer, Gate) {
        let gate = Gate()
        let server = try LoopbackServer().on(.get, "/api/me") { _ in
            gate.wait()
            return .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nlate")
        }
        return (server, gate)
    }

    @Test(
        "canceling a request in flight notifies each observer once and closes the connection", .behaviors(106, 107),
        .defects("BN19"))
    func inFlight() async throws {
        let (server, gate) = try Self.gated()
        let calls = Log<HTTPError?>()
        let ended = Counter()
        let request = TestAPI(server).request(.me)
            .responseData { calls.add($0.error as? HTTPError) }
            .responseValue(.json, on: .global()) { calls.add($0.error as? HTTPError) }
            .onEnd { ended.increment() }
        let reader = Task { try await request.text() }
        try await eventually("it is on its way") { server.requests.count == 1 }
        request.cancel()
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await reader.value }
        try await eventually("all are told") { calls.entries.count == 2 && ended.count == 1 }
        gate.open()
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
        // A late observer is notified as well, and the earlier ones are not notified again.
        await #expect(throws: HTTPError.cancelled) { try await request.data() }
        let late = await response { request.response($0) }
        #expect(late.error! == HTTPError.cancelled)
        #expect(calls.entries == [HTTPError.cancelled, .cancelled])
        #expect(ended.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test("a handler of the end is not in a canceled task, although its request was", .behaviors(107))
    func endHandlerTask() async throws {
        let (server, gate) = try Self.gated()
        defer { gate.open() }
        let isCancelled = Log<Bool>()
        let request = TestAPI(server).request(.me).onEnd { isCancelled.add(Task.isCancelled) }
        let reader = Task { try await request.data() }
        try await eventually("it is on its way") { server.requests.count == 1 }
        reader.cancel()  // Nobody observes the request any more.
        try await eventually("the end is told") { !isCancelled.entries.isEmpty }
        #expect(isCancelled.entries == [false])
    }

    @Test("a request that its provider cancels while it starts is not sent")
    func whileStarting() async throws {
        struct Cancelling: HTTPProvider {
            let url: URL
            let onRead: @Sendable () -> Void
            var baseURL: URL {
                onRead()
                return url
            }
        }
        let server = try LoopbackServer().on(.get, "/next", .text("next"))
        let request = Lock<Request?>(nil)
        let api = Cancelling(url: server.baseURL) { request.withLock { $0 }?.cancel() }
        request.withLock { $0 = api.request(Route(path: "/first")) }
        let started = try #require(request.withLock { $0 })
        let called = await response { started.responseData($0) }
        #expect(called.error! == HTTPError.cancelled)
        request.withLock { $0 = nil }
        #expect(try await api.request(Route(path: "/next")).text() == "next")
        #expect(server.requests.map(\.path) == ["/next"])
    }

    @Test("a request canceled before it starts is not sent, and its observers are notified", .behaviors(107))
    func before() async throws {
        let server = try LoopbackServer.accepting()
        let ended = Counter()
        let request = TestAPI(server).request(.me).onEnd(on: .global()) { ended.increment() }
        request.cancel()
        request.start()
        let called = await response { request.responseData($0) }
        #expect(called.error! == HTTPError.cancelled)
        #expect(called.request == nil && called.response == nil)
        await #expect(throws: HTTPError.cancelled) { try await request.data() }
        await #expect(throws: HTTPError.cancelled) { for try await _ in request.chunks {} }
        for await _ in request.progress(.upload) { Issue.record("nothing moved") }
        try await eventually("the end is told") { ended.count == 1 }
        #expect(server.connectionCount == 0)
    }

    @Test("canceling a completed request changes nothing")
    func after() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("content"))
        let request = TestAPI(server).request(.me)
        #expect(try await request.text() == "content")
        request.cancel()
        #expect(try await request.text() == "content")
    }

    @Test("cancel() or a canceled task calls neither validate nor shouldContinue")
    func hooks() async throws {
        let (server, gate) = try Self.gated()
        let (asked, ended) = (Counter(), Counter())
        let api = TestAPI(server)
            .with(\.onValidate) { _ in asked.increment() }
            .with(\.onFailure) { _ in
                asked.increment()
                return false
            }
        let cancelled = api.request(.me).start().onEnd(on: .global()) { ended.increment() }
        let left = Task { try await api.request(.me).data() }
        try await eventually("both are on their way") { server.requests.count == 2 }
        cancelled.cancel()
        left.cancel()
        await #expect(throws: HTTPError.cancelled) { try await cancelled.data() }
        await #expect(throws: CancellationError.self) { try await left.value }
        gate.open()
        try await eventually("the connections end") { server.openConnectionCount == 0 && ended.count == 1 }
        #expect(asked.count == 0)
    }

    @Test("an error that an interceptor makes of a cancellation reaches no hook and no caller")
    func throughInterceptors() async throws {
        struct Translator: Interceptor {
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                do { return try await next.proceed(request) } catch is CancellationError { throw HTTPError.cancelled }
            }
        }
        let (server, gate) = try Self.gated()
        defer { gate.open() }
        let asked = Counter()
        let api = TestAPI(server)
            .with(\.client, HTTPClient(interceptors: [Translator()]))
            .with(\.onFailure) { _ in
                asked.increment()
                return true
            }
        let task = Task { try await api.request(.me).data() }
        try await eventually("it is on its way") { server.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(asked.count == 0)
    }

    /// A body without an end, which reports when it is no longer read.
    struct Endless: AsyncSequence, Sendable {
        let ended: Counter
        final class AsyncIterator: AsyncIteratorProtocol {
            let ended: Counter
            init(_ ended: Counter) { self.ended = ended }
            deinit { ended.increment() }
            func next() async -> Data? { Data(count: 1000) }
        }
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ended) }
    }

    @Test("a canceled upload releases the stream it sends")
    func upload() async throws {
        let (server, ended) = (try LoopbackServer.accepting(), Counter())
        let endless = Endless(ended: ended)
        let seen = Counter()
        let request = TestAPI(server).request(Route(path: "/me", method: .post, body: .stream(endless)))
            .uploadProgress(on: .global()) { _ in seen.increment() }
            .start()
        try await eventually("it is on its way") { seen.count > 1 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await request.data() }
        try await eventually("the stream is let go") { ended.count == 1 }
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
        #expect(server.requests.isEmpty)
    }

    @Test("canceling at any moment gives each observer exactly one outcome", arguments: 0..<10)
    func races(round: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("ok"))
        let api = TestAPI(server)
        try await withThrowingTaskGroup { group in
            for index in 0..<50 {
                group.addTask {
                    let (calls, ended) = (Counter(), Counter())
                    let request = api.request(.me)
                        .responseValue(.text, on: .global()) { response in
                            calls.increment()
                            #expect(response.value == "ok" || response.error! == HTTPError.cancelled)
                        }
                        .onEnd(on: .global()) { ended.increment() }
                    for _ in 0..<(index * round) { await Task.yield() }
                    request.cancel()
                    try await eventually("it ends") { calls.count == 1 && ended.count == 1 }
                    _ = try? await request.text()
                    #expect(calls.count == 1 && ended.count == 1)
                }
            }
            try await group.waitForAll()
        }
    }
}
