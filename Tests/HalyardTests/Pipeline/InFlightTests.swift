import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A client's limit of requests in flight.
@Suite(.timeLimit(.minutes(3)))
struct InFlightTests {
    /// Responds when the test allows it, and counts requests.
    private final class Held: Transport {
        private struct State: Sendable {
            var waiting: [(path: String, ticket: CheckedContinuation<Void, Never>)] = []
            var seen: [String] = []
        }
        private let state = Lock(State())
        var seen: [String] { state.withLock { $0.seen } }
        var inFlight: Int { state.withLock { $0.waiting.count } }

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            await withCheckedContinuation { ticket in
                state.withLock { state in
                    state.seen.append(request.url.path())
                    state.waiting.append((request.url.path(), ticket))
                }
            }
            return HTTPResponse(status: 200, url: request.url)
        }

        func release() { state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.ticket.resume() }
    }

    /// Records the requests right before the limit.
    private struct Arrivals: Interceptor {
        let paths = Log<String>()

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            paths.add(request.url.path())
            return try await next.proceed(request)
        }
    }

    private let held = Held()

    private func api(_ limit: Int, timeout: Duration? = nil) -> TestAPI {
        TestAPI(held).with(
            \.client,
            HTTPClient(transport: held, configuration: .init(timeout: timeout, requestsInFlight: limit)))
    }

    @Test("a limit of two lets two requests reach the transport at once, and the next one when one ends")
    func limited() async throws {
        let api = api(2)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<8 {
            tasks.append(Task { try await api.request(Route(path: "/\(number)")).void() })
            if number < 2 { try await eventually("\(number) is with the engine") { held.inFlight == number + 1 } }
        }
        #expect(held.inFlight == 2)
        for count in 3...8 {
            held.release()
            try await eventually("the next is let through") { held.seen.count == count }
            #expect(held.inFlight == 2)
        }
        held.release()
        held.release()
        for task in tasks { try await task.value }
        #expect(Set(held.seen).count == 8 && held.seen.prefix(2) == ["/v1/0", "/v1/1"])
    }

    @Test("a waiting request can be canceled or reach its deadline without losing its slot")
    func leaving() async throws {
        let arrivals = Arrivals()
        let api = TestAPI(held).with(
            \.client,
            HTTPClient(transport: held, networkInterceptors: [arrivals], configuration: .init(requestsInFlight: 1)))
        async let first: Void = api.request(Route(path: "/first")).void()
        try await eventually("the first is with the engine") { held.inFlight == 1 }
        let second = Task { try await api.request(Route(path: "/second")).void() }
        try await eventually("the second is at the limit") { arrivals.paths.entries.contains("/v1/second") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let late = Route(path: "/late").timeout(.milliseconds(50))
        let error = await failure { try await api.request(late).void() }
        #expect(error?.kind == .timedOut && error?.reason == "it took longer than 0.05 seconds")
        held.release()
        try await first
        async let third: Void = api.request(Route(path: "/third")).void()
        try await eventually("the third is let through") { held.inFlight == 1 }
        held.release()
        try await third
        #expect(held.seen == ["/v1/first", "/v1/third"])
    }

    @Test("with a limit of one, an interceptor can send another request without a deadlock", .faults(43))
    func nested() async throws {
        struct Asking: Interceptor {
            let client = Lock<HTTPClient?>(nil)
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                if request.url.path() == "/v1/outer", let client = client.withLock({ $0 }) {
                    let url = try #require(URL(string: "https://api.example.com/v1/inner"))
                    _ = try await client.send(HTTPRequest(.get, url))
                }
                return try await next.proceed(request)
            }
        }
        let stub = StubTransport().on(.get, "/v1/*", .status(200))
        let asking = Asking()
        let client = HTTPClient(
            transport: stub, interceptors: [asking], configuration: .init(requestsInFlight: 1))
        asking.client.withLock { $0 = client }
        try await TestAPI(stub).with(\.client, client).request(Route(path: "/outer")).void()
        asking.client.withLock { $0 = nil }
        #expect(stub.requests.map(\.path) == ["/v1/inner", "/v1/outer"])
    }
}
