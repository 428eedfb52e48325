import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Interceptors and authenticators that ignore their cancellation do not hold up the caller.
@Suite(.timeLimit(.minutes(3)))
struct LeavableUserCodeTests {
    /// User code that continues when a test says so, whatever happens to its task.
    struct Stubborn: Interceptor, Authenticator {
        let entered = Counter()
        let left = Counter()
        let gate = OneShot<Void>()

        private func hold() async {
            entered.increment()
            await gate.take()
            left.increment()
        }

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            await hold()
            return try await next.proceed(request)
        }

        func authenticate(_ request: inout HTTPRequest) async throws { await hold() }
        func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool { false }
    }

    enum Place: CaseIterable { case interceptor, networkInterceptor, authenticator }

    private let code = Stubborn()
    private let clock = ManualClock()
    private let transport = StubTransport().on(.get, "/me", .text("late"))

    private func api(_ place: Place) -> TestAPI {
        let client = HTTPClient(
            transport: transport, interceptors: place == .interceptor ? [code] : [],
            networkInterceptors: place == .networkInterceptor ? [code] : [], clock: clock)
        return TestAPI(
            baseURL: URL(string: "https://api.example.com")!, client: client,
            authentication: place == .authenticator ? Authentication(code) : .none)
    }

    /// Waits for the code, and then for the end of what it does although nobody waits for it any more.
    private func release() async throws {
        #expect(code.left.count == 0)
        code.gate.fulfill(())
        try await eventually("the code has ended") { code.left.count == 1 }
    }

    @Test(arguments: Place.allCases) func `the deadline ends an await`(place: Place) async throws {
        let api = api(place)
        let task = Task { try await api.request(Route(path: "/me").timeout(.seconds(5))).text() }
        try await eventually("the code runs") { code.entered.count == 1 }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        #expect(error == .timedOut && error?.reason == "it took longer than 5.0 seconds")
        #expect(error?.mayHaveBeenProcessed == false)
        try await release()
    }

    @Test(arguments: Place.allCases) func `the deadline ends a request with handlers`(place: Place) async throws {
        let errors = Log<String>()
        api(place).request(Route(path: "/me").timeout(.seconds(5))).responseValue(.data, on: .global()) {
            errors.add($0.error == HTTPError.timedOut ? "timed out" : "\($0.result)")
        }
        try await eventually("the code runs") { code.entered.count == 1 }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        try await eventually("the handler is called") { errors.entries == ["timed out"] }
        try await release()
    }

    @Test(arguments: Place.allCases) func `canceling the task ends an await`(place: Place) async throws {
        let api = api(place)
        let task = Task { try await api.request(Route(path: "/me")).text() }
        try await eventually("the code runs") { code.entered.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await release()
    }

    @Test func `a response that arrives too late is discarded`() async throws {
        struct Late: Interceptor {
            let code: Stubborn
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                let response = try await next.proceed(request)
                _ = try? await code.intercept(request, next: Chain { _ in response })
                return response
            }
        }
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            connection.drain()
        }
        let api = TestAPI(
            baseURL: server.baseURL,
            client: HTTPClient(
                transport: PlatformTransport.make(EngineConfiguration()), interceptors: [Late(code: code)], clock: clock
            ))
        let task = Task {
            for try await _ in api.request(Route(path: "/").timeout(.seconds(5))).chunks {}
        }
        try await eventually("the response has come") { code.entered.count == 1 }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: HTTPError.timedOut) { try await task.value }
        #expect(server.connectionCount == 1)
        try await release()
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }
}
