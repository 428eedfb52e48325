import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Slow, silent and early peers, with every engine.
@Suite(.timeLimit(.minutes(3)))
struct TimeFaultTests {
    enum Peer: String, CaseIterable, Sendable {
        case silence, headers, body, upload

        /// Sends bytes slowly until the client closes the connection, and reads an upload only after the gate is open.
        /// It never closes first: in the header block, that crashes swift-corelibs-foundation.
        func play(_ connection: ScriptedServer.Connection, _ gate: Gate) {
            _ = connection.readHead()
            if self == .body { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") }
            if self == .headers { connection.write("HTTP/1.1 200 OK\r\nX-Drip: ") }
            // One byte every ten milliseconds prevents an idle timeout.
            while self == .body || self == .headers, connection.write("x") { usleep(10_000) }
            if self == .upload { gate.wait() }
            connection.drain()
        }
    }

    @Test(
        "the deadline ends a request that receives bytes slowly at every stage of the pipeline", .faults(39),
        arguments: Engine.wire,
        Peer.allCases
    )
    func deadline(engine: Engine, peer: Peer) async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection in peer.play(connection, gate) }
        let configuration = HTTPClient.Configuration(
            retry: .upTo(attempts: 3), requestsInFlight: 4, cookies: CookieJar())
        let api = TestAPI(baseURL: server.baseURL, client: engine.client(configuration))
        let body: RouteBody? = peer == .upload ? .data(Data(count: 64 << 20)) : nil
        let route = Route(path: "/", method: body == nil ? .get : .put, body: body).timeout(.milliseconds(500))
        let start = ContinuousClock.now
        let error = await failure { try await api.request(route).void() }
        let elapsed = ContinuousClock.now - start
        #expect(error == HTTPError.timedOut && error?.sendCount == 1, "\(String(describing: error))")
        #expect(elapsed >= .milliseconds(500))
        // The strict limit is asserted on an idle machine only: `.ci/checks/promptness`.
        if isQuiet { #expect(elapsed < .milliseconds(550), "\(elapsed)") }
        gate.open()
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    /// User code that takes part in a request and does not return.
    enum Guest: CaseIterable, Sendable { case interceptor, networkInterceptor, token, renewal }

    /// Waits without an end after the response.
    struct Waiting: Interceptor {
        let waiting: Counter
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            let response = try await next.proceed(request)
            waiting.increment()
            try await Task.sleep(for: .seconds(1000))
            return response
        }
    }

    @Test("the deadline ends interceptors and the wait for a token", .faults(39), arguments: Guest.allCases)
    func guests(guest: Guest) async throws {
        let stub = StubTransport().on(.get, "/v1/a", .status(guest == .renewal ? 401 : 200))
        let (clock, waiting) = (ManualClock(), Counter())
        let client = HTTPClient(
            transport: stub, interceptors: guest == .interceptor ? [Waiting(waiting: waiting)] : [],
            networkInterceptors: guest == .networkInterceptor ? [Waiting(waiting: waiting)] : [],
            configuration: .init(timeout: .seconds(7), retry: .upTo(attempts: 3)), clock: clock)
        let tokens = TokenSource(guest == .renewal ? "old" : nil) { _ in
            waiting.increment()
            try await Task.sleep(for: .seconds(1000))
            return "new"
        }
        let isToken = guest == .token || guest == .renewal
        let api = TestAPI(stub).with(\.client, client).with(\.authentication, isToken ? .bearer(tokens) : .none)

        let late = Task { await failure { try await api.request(Route(path: "a")).void() } }
        try await eventually("it waits") { waiting.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(6.9))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(0.1))
        let error = await late.value
        #expect(error == HTTPError.timedOut && error?.reason == "it took longer than 7.0 seconds")
        #expect(error?.request?.url.path() == "/v1/a")
        #expect(stub.requests.count == (guest == .token ? 0 : 1))

        // A task that the caller cancels before the deadline ends with a cancellation, not with a timeout. The token is
        // renewed once.
        let task = Task { try await api.request(Route(path: "a")).void() }
        try await eventually("it waits") { clock.sleeperCount == 1 && (isToken || waiting.count == 2) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(waiting.count == (isToken ? 1 : 2))
    }

    @Test(
        "a 413 followed by a close during an upload is delivered as a 413 with its body", .faults(40),
        arguments: Engine.wire)
    func early(engine: Engine) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 413 Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
            connection.shutDownWriting()
            connection.drain()
        }
        for body in [RouteBody.data(Data(count: 16 << 20)), .stream([Data(count: 16 << 20)].async, length: 16 << 20)] {
            let api = TestAPI(server, over: engine).with(\.baseURL, server.baseURL)
            let error = await failure { try await api.request(Route(path: "/", method: .post, body: body)).void() }
            #expect(error == HTTPError.status(413) && error?.response?.text == "too large")
        }
    }

    @Test(
        "with one connection and a limit of one, a nested request in user code completes",
        .faults(43),
        arguments: Engine.wire)
    func nested(engine: Engine) async throws {
        /// Sends another request before each request, as the renewal of a token does.
        struct Asking: Interceptor {
            let client: Lock<HTTPClient?>
            let url: URL
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                if request.url.path() == "/outer", let client = client.withLock({ $0 }) {
                    _ = try await client.send(HTTPRequest(.get, url.appending(path: "inner")))
                }
                return try await next.proceed(request)
            }
        }
        let server = try LoopbackServer().on(.get, "/*", .text("ok"))
        for isNetwork in [false, true] {
            let box = Lock<HTTPClient?>(nil)
            let asking = [Asking(client: box, url: server.baseURL)]
            let client = engine.client(
                .init(timeout: .seconds(100), requestsInFlight: isNetwork ? nil : 1),
                engine: .init(connectionsPerHost: 1),
                interceptors: isNetwork ? [] : asking, network: isNetwork ? asking : [])
            box.withLock { $0 = client }
            defer { box.withLock { $0 = nil } }
            let plain = TestAPI(baseURL: server.baseURL, client: client)
            let api = plain.with(\.onValidate) { response in
                if response.url.path() != "/checked" {
                    try await plain.request(Route(path: "/checked")).void()
                }
            }
            try await api.request(Route(path: "/outer")).void()
            let inner = await response { handler in
                api.request(Route(path: "/outer")).responseValue(.text, on: .global()) { (_: Response<String>) in
                    plain.request(Route(path: "/late")).responseValue(.text, on: .global(), handler)
                }
            }
            #expect(inner.value == "ok")
        }
        #expect(
            server.requests.count { $0.path == "/outer" } == 4 && server.requests.count { $0.path == "/inner" } == 4)
    }
}

/// Whether the machine is otherwise idle, so that times can be asserted.
let isQuiet = ProcessInfo.processInfo.environment["HALYARD_STRESS"] != nil
/// The factor for the number of repetitions: 1 by default, more if a developer or CI sets it.
let stress = ProcessInfo.processInfo.environment["HALYARD_STRESS"].flatMap { Int($0) } ?? 1
