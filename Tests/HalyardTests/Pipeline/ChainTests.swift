import Foundation
import Halyard
import HalyardTesting
import Testing

/// What interceptors may do with a request and its response.
struct ChainTests {
    /// An interceptor of one closure.
    struct Step: Interceptor {
        let body: @Sendable (HTTPRequest, Chain) async throws -> HTTPResponse
        init(_ body: @escaping @Sendable (HTTPRequest, Chain) async throws -> HTTPResponse) { self.body = body }
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try await body(request, next)
        }
    }

    struct Failure: Error, Equatable {}

    private let stub = StubTransport().on(.get, "/*") { .text("\($0.path) \($0.headers["X"] ?? "-")") }
    private let log = Lock<[String]>([])

    private func send(_ interceptors: [any Interceptor], _ path: String = "/a") async throws -> HTTPResponse {
        let request = try HTTPRequest(.get, URL(string: "https://h\(path)")!)
        return try await HTTPClient(transport: stub, interceptors: interceptors).send(request)
    }

    private func named(_ name: String) -> Step {
        Step { [log] request, next in
            log.withLock { $0.append("\(name) out") }
            defer { log.withLock { $0.append("\(name) back") } }
            return try await next.proceed(request)
        }
    }

    @Test func `without interceptors the transport handles the request`() async throws {
        #expect(try await send([]).text == "/a -")
    }

    @Test func `the first interceptor is the outermost: it sees the request first and the response last`() async throws
    {
        _ = try await send([named("a"), named("b"), named("c")])
        #expect(log.withLock { $0 } == ["a out", "b out", "c out", "c back", "b back", "a back"])
        #expect(stub.requests.count == 1)
    }

    @Test func `later interceptors and the transport see a changed request`() async throws {
        let add = { (letter: String) in
            Step { request, next in
                var request = request
                request.headers["X"] = (request.headers["X"] ?? "") + letter
                return try await next.proceed(request)
            }
        }
        #expect(try await send([add("1"), add("2")]).text == "/a 12")
        #expect(stub.requests.map { $0.headers["X"] } == ["12"])
    }

    @Test func `outer interceptors see a changed response`() async throws {
        let add = { (letter: String) in
            Step { request, next in
                var response = try await next.proceed(request)
                response.data += Data(letter.utf8)
                return response
            }
        }
        #expect(try await send([add("1"), add("2")]).text == "/a -21")
    }

    @Test func `an interceptor that returns its own response stops the request`() async throws {
        let short = Step { request, _ in HTTPResponse(status: 299, url: request.url) }
        #expect(try await send([named("a"), short, named("b")]).status == 299)
        #expect(log.withLock { $0 } == ["a out", "a back"])
        #expect(stub.requests.isEmpty)
    }

    @Test func `an interceptor that proceeds twice sends the request twice through all later stages`() async throws {
        let twice = Step { request, next in
            _ = try await next.proceed(request)
            return try await next.proceed(HTTPRequest(.get, URL(string: "https://h/b")!))
        }
        #expect(try await send([named("a"), twice, named("b")]).text == "/b -")
        #expect(log.withLock { $0 } == ["a out", "b out", "b back", "b out", "b back", "a back"])
        #expect(stub.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func `an interceptor may proceed twice concurrently`() async throws {
        let race = Step { request, next in
            async let one = next.proceed(request)
            async let other = next.proceed(request)
            return try await [one, other][1]
        }
        #expect(try await send([race, named("a")]).text == "/a -")
        #expect(stub.requests.count == 2)
    }

    @Test func `an error reaches the caller unchanged, and outer interceptors can catch it`() async throws {
        let failing = Step { _, _ in throw Failure() }
        await #expect(throws: Failure()) { try await send([named("a"), failing, named("b")]) }
        #expect(log.withLock { $0 } == ["a out", "a back"])
        let catching = Step { request, next in
            do { return try await next.proceed(request) } catch is Failure {
                return HTTPResponse(status: 200, url: request.url)
            }
        }
        #expect(try await send([catching, failing]).status == 200)
        #expect(stub.requests.isEmpty)
    }

    @Test func `an invalid header set by an interceptor is refused before it is sent`() async throws {
        let spoil = Step { request, next in
            var request = request
            request.headers["X"] = "a\r\nEvil: 1"
            return try await next.proceed(request)
        }
        await #expect(throws: HTTPError(.invalidHeader("X"))) { try await send([spoil]) }
        #expect(stub.requests.isEmpty)
    }

    @Test func `the client returns any status, and a request without a stub fails`() async throws {
        stub.on(.get, "/no", .status(500))
        #expect(try await send([], "/no").status == 500)
        await #expect(throws: HTTPError(.noStub("GET /x"))) {
            try await HTTPClient(transport: StubTransport()).send(HTTPRequest(.get, URL(string: "https://h/x?y")!))
        }
    }

    @Test func `the client's limits reach the transport`() async throws {
        struct Seen: Transport {
            let context = Lock(TransferContext())
            func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
                self.context.withLock { $0 = context }
                return HTTPResponse(status: 200, url: request.url)
            }
        }
        let seen = Seen()
        let limits = HTTPClient.Configuration(timeout: .seconds(1000), connectTimeout: .seconds(2), idleTimeout: nil)
        let client = HTTPClient(transport: seen, interceptors: [named("a")], configuration: limits)
        _ = try await client.send(HTTPRequest(.get, URL(string: "https://h/")!))
        let context = seen.context.withLock { $0 }
        // This is the remaining time. The lower bound allows for a slow machine.
        let timeout = try #require(context.timeout)
        #expect(timeout <= .seconds(1000) && timeout > .seconds(800))
        #expect(context.connectTimeout == .seconds(2) && context.idleTimeout == nil)
    }

    @Test func `a chain made from a closure runs a single interceptor`() async throws {
        let adding = Step { request, next in
            var request = request
            request.headers["X"] = "1"
            var response = try await next.proceed(request)
            response.data += Data("!".utf8)
            return response
        }
        let chain = Chain { request in
            HTTPResponse(status: 200, data: Data((request.headers["X"] ?? "-").utf8), url: request.url)
        }
        let response = try await adding.intercept(HTTPRequest(.get, URL(string: "https://h/a")!), next: chain)
        #expect(response.text == "1!")

        let failing = Chain { _ in throw Failure() }
        await #expect(throws: Failure.self) {
            try await adding.intercept(HTTPRequest(.get, URL(string: "https://h/a")!), next: failing)
        }
    }

    @Test func `no transport receives a request with headers that frame the message`() async throws {
        struct Unasked: Transport {
            func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
                Issue.record("the transport was asked")
                return HTTPResponse(status: 200, url: request.url)
            }
        }
        let request = try HTTPRequest(.get, URL(string: "https://h/a")!, headers: ["Content-Length": "5"])
        for client in [HTTPClient(transport: Unasked()), HTTPClient().dry()] {
            await #expect(throws: HTTPError(.invalidHeader("Content-Length"))) { try await client.send(request) }
        }
    }
}
