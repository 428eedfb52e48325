import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Faults of the network, and waiting for requests.
@Suite(.timeLimit(.minutes(3)))
struct WireFaultTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient()
    }

    private let example = URL(string: "https://api.example.com")!
    private let answer = StubResponse.text("0123456789")

    @Test(arguments: [0, 10, 50, 85])
    func `a reset at any byte is a lost connection`(count: Int) async throws {
        let server = try LoopbackServer().on(.get, "/", answer.resetting(after: count), answer)
        let api = API(baseURL: server.baseURL)
        let route = Route(path: "/").retry(.never)
        let error = await failure { _ = try await api.request(route).text() }
        #expect(error?.kind == .connectionLost)
        #expect(try await api.request(route).text() == "0123456789")
        let stub = API(
            baseURL: example, client: HTTPClient(transport: StubTransport().on(.get, "/", answer.resetting())))
        await #expect(throws: HTTPError.connectionLost) { try await stub.request(route).text() }
    }

    @Test func `a half-closed connection is lost, or ends a body without a length`() async throws {
        let open = StubResponse.raw("HTTP/1.1 200 OK\r\n\r\n0123456789")
        let server = try LoopbackServer()
            .on(.get, "/", answer.halfClosing(), answer.halfClosing(after: 10), answer.halfClosing(after: 85))
            .on(.get, "/open", open)
            .on(.get, "/length", .text("0123", headers: ["Content-Length": "10"]).closingConnection())
        let api = API(baseURL: server.baseURL)
        for _ in 0..<3 {
            let error = await failure { _ = try await api.request(Route(path: "/").retry(.never)).text() }
            #expect(error?.kind == .connectionLost)
        }
        #expect(try await api.request(Route(path: "/open")).text() == "0123456789")
        let short = await failure { _ = try await api.request(Route(path: "/length").retry(.never)).text() }
        #expect(short?.kind == .connectionLost)
        // The client closes its side.
        try await eventually("the connections are closed") { server.openConnectionCount == 0 }
        let stub = API(
            baseURL: example, client: HTTPClient(transport: StubTransport().on(.get, "/", answer.halfClosing())))
        await #expect(throws: HTTPError.connectionLost) {
            try await stub.request(Route(path: "/").retry(.never)).text()
        }
    }

    @Test func `a half-closed connection still reads`() throws {
        let server = try LoopbackServer().on(.get, "/", answer.halfClosing(after: 10))
        let client = try RawClient(port: server.port)
        try client.request("GET", "/")
        #expect(try client.rest().count == 10)
        // The server's side is still open: there is no reset.
        try client.send("more")
        #expect(server.openConnectionCount == 1)
    }

    @Test func `a reset differs from an orderly close`() throws {
        let server = try LoopbackServer().on(.get, "/", answer.resetting(after: 10), answer.closingConnection())
        let client = try RawClient(port: server.port)
        try client.request("GET", "/")
        let error = #expect(throws: RawClient.Failure.self) { try client.rest() }
        #expect(error?.reason.contains("\(ECONNRESET)") == true)
        let other = try RawClient(port: server.port)
        try other.request("GET", "/")
        #expect(try other.rest().hasSuffix("0123456789"))
    }

    @Test func `a stall ends at the client's timeout`() async throws {
        let server = try LoopbackServer().on(.get, "/", answer.stalling(after: 85))
        let route = Route(path: "/").timeout(.milliseconds(200)).retry(.never)
        let error = await failure { _ = try await API(baseURL: server.baseURL).request(route).text() }
        #expect(error?.kind == .timedOut)
        // The server notices that the client has left.
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
        let clock = ManualClock()
        let stub = StubTransport(clock: clock).on(.get, "/", answer.stalling())
        let api = API(baseURL: example, client: HTTPClient(transport: stub))
        async let stalled = failure { _ = try await api.request(route).text() }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(await stalled?.kind == .timedOut)
    }

    @Test func `a slow response takes its time and keeps the connection`() async throws {
        let server = try LoopbackServer().on(.get, "/", answer.throttled(to: 400))
        let api = API(baseURL: server.baseURL)
        let start = ContinuousClock.now
        for _ in 0..<2 { #expect(try await api.request(Route(path: "/")).text() == "0123456789") }
        // Each has about 90 bytes, in pieces of 20.
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(server.connectionCount == 1)
    }

    @Test func `waiting for a request works within a limit`() async throws {
        let server = try LoopbackServer(recordLimit: 1).on(.get, "/{n}", answer)
        let api = API(baseURL: server.baseURL)
        async let third = server.request(3)
        for number in 1...3 { _ = try await api.request(Route(path: "/\(number)")).text() }
        #expect(try await third.path == "/3")
        #expect(try await server.request(3).path == "/3")
        await #expect(throws: TestingError.self) { try await server.request(4, within: .milliseconds(10)) }
        let dropped = await #expect(throws: TestingError.self) { try await server.request(1) }
        #expect(dropped?.description.contains("not kept") == true)
        let waiting = Task { try await server.request(4) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
