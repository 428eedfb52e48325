import Foundation
import HalyardTesting
import Testing

@Suite("The stub transport", .timeLimit(.minutes(3)))
struct StubTransportTests {
    private func request(
        _ method: HTTPMethod = .get, _ target: String = "/", headers: HTTPHeaders = [:], body: String? = nil,
        limit: Int = 1 << 20
    ) throws -> HTTPRequest {
        let url = try #require(URL(string: "https://api.example.com" + target))
        return try HTTPRequest(
            method, url, headers: headers, body: body.map { HTTPBody(Data($0.utf8)) },
            destination: .memory(limit: limit))
    }

    @Test func answersLikeAServer() async throws {
        let stub = StubTransport().on(.get, "/user/{id}", .json(["id": 1], headers: ["ETag": "x"]), .status(503))
        let request = try request(.get, "/user/1")
        let response = try await stub.send(request, context: TransferContext())
        #expect(response.status == 200)
        #expect(response.headers == ["Content-Type": "application/json", "ETag": "x", "Content-Length": "8"])
        #expect(response.text == #"{"id":1}"#)
        #expect(response.url == request.url)
        #expect(try await stub.send(request, context: TransferContext()).status == 503)
    }

    @Test func recordsWhatWouldBeOnTheWire() async throws {
        let stub = StubTransport().on(.post, "/v1/{id}", .status(204))
        let sent = try request(.post, "/v1/a%2Fb?q=%20&r#part", headers: ["X-A": "1"], body: "hello")
        _ = try await stub.send(sent, context: TransferContext())
        let seen = try #require(stub.requests.first)
        #expect(seen.target == "/v1/a%2Fb?q=%20&r")
        #expect(seen.path == "/v1/a%2Fb")
        #expect(seen.query == "q=%20&r")
        #expect(seen.pathParameters == ["id": "a/b"])
        #expect(seen.headers == ["X-A": "1"])
        #expect(seen.text == "hello")
        #expect(seen.connection == 0)
    }

    @Test(arguments: ["", "/", "?a=b"])
    func anEmptyPathIsTheRoot(target: String) async throws {
        let stub = StubTransport().on(.get, "/", .text("root"))
        #expect(try await stub.send(request(.get, target), context: TransferContext()).text == "root")
    }

    @Test func chunksAreJoinedAndHeadHasNone() async throws {
        let chunks = StubResponse.chunked([Data("a".utf8), Data("b".utf8)])
        let stub = StubTransport().on(.get, "/", chunks).on(.head, "/", .text("hello"))
        #expect(try await stub.send(request(), context: TransferContext()).text == "ab")
        let head = try await stub.send(request(.head), context: TransferContext())
        #expect(head.data.isEmpty)
        #expect(head.headers[.contentLength] == "5")
    }

    @Test func anUnstubbedRequestFailsWithTheNearestStubs() async throws {
        let stub = StubTransport().on(.get, "/user/{id}", .text("")).on(.post, "/login", .text(""))
        for n in 0..<9 { stub.on(.delete, "/something/else/\(n)", .text("")) }
        let error = await #expect(throws: HTTPError.self) {
            try await stub.send(request(.post, "/logon?password=1"), context: TransferContext())
        }
        #expect(error?.kind == .noStub("POST /logon"))
        #expect(error?.suggestion?.hasPrefix("The stubs are: POST /login, ") == true)
        #expect(error?.suggestion?.hasSuffix(", and 6 more") == true)
        #expect(error?.request?.method == .post)
        #expect(stub.requests.count == 1)
    }

    @Test func aStubCanThrow() async throws {
        struct Trouble: Error {}
        let stub = StubTransport()
            .on(.get, "/") { _ in throw HTTPError.timedOut }
            .on(.put, "/") { _ in throw Trouble() }
        let error = await #expect(throws: HTTPError.timedOut) {
            try await stub.send(request(), context: TransferContext())
        }
        #expect(error?.request != nil)
        await #expect(throws: Trouble.self) { try await stub.send(request(.put), context: TransferContext()) }
    }

    @Test func headersAreCheckedFirst() async throws {
        let stub = StubTransport().on(.get, "/", .text(""))
        await #expect(throws: HTTPError(.invalidHeader("Content-Length"))) {
            try await stub.send(request(headers: ["Content-Length": "1"]), context: TransferContext())
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func aBadHeaderOfTheAnswerIsAnError() async throws {
        let stub = StubTransport().on(.get, "/", .text("", headers: ["X-Bad": "a\nb"]))
        await #expect(throws: HTTPError(.invalidHeader("X-Bad"))) {
            try await stub.send(request(), context: TransferContext())
        }
    }

    @Test func theMemoryLimitHolds() async throws {
        let stub = StubTransport().on(.get, "/", .text("12345")).on(.head, "/", .text("12345"))
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 4))) {
            try await stub.send(request(limit: 4), context: TransferContext())
        }
        #expect(try await stub.send(request(limit: 5), context: TransferContext()).text == "12345")
        #expect(try await stub.send(request(.head, limit: 4), context: TransferContext()).status == 200)
    }

    @Test func rawBytesNeedAServer() async throws {
        let stub = StubTransport().on(.get, "/", .raw("nonsense"))
        let error = await #expect(throws: HTTPError(.invalidResponse)) {
            try await stub.send(request(), context: TransferContext())
        }
        #expect(error?.suggestion?.contains("LoopbackServer") == true)
    }

    @Test func aDelayLongerThanTheTimeoutTimesOut() async throws {
        let clock = RecordingClock()
        let stub = StubTransport(clock: clock).on(.get, "/", .text("late").delayed(by: .seconds(600)))
        let error = await #expect(throws: HTTPError.timedOut) {
            try await stub.send(request(), context: TransferContext(timeout: .seconds(3)))
        }
        #expect(error?.reason == "it took longer than 3.0 seconds: the stub's response is delayed by 600.0 seconds")
        #expect(try await stub.send(request(), context: TransferContext(timeout: .seconds(600))).text == "late")
        #expect(try await stub.send(request(), context: TransferContext()).text == "late")
        #expect(clock.slept == [.seconds(3), .seconds(600), .seconds(600)])
    }

    @Test func cancellationEndsADelay() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let stub = StubTransport().on(.get, "/") { _ in
            enter.yield()
            return .text("late").delayed(by: .seconds(600))
        }
        let request = try request()
        let task = Task { try await stub.send(request, context: TransferContext()) }
        for await _ in entered { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let stub = StubTransport().on(.get, "/", .text(""))
        let request = try request()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stub.send(request, context: TransferContext())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(stub.requests.isEmpty)
    }

    @Test func `waiting for a request works before and after it is sent, and times out`() async throws {
        let stub = StubTransport().on(.get, "/", .text(""))
        let request = try request()
        async let second = stub.request(2)
        for _ in 0..<2 { _ = try await stub.send(request, context: TransferContext()) }
        #expect(try await second.path == "/")
        #expect(try await stub.request().path == "/")
        let error = await #expect(throws: TestingError.self) {
            try await stub.request(3, within: .milliseconds(10))
        }
        #expect(error?.description == "Request 3 to the stub transport did not come in 0.01 seconds.")
        let waiting = Task { try await stub.request(3) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

/// A clock on which all sleep ends at once, and which remembers how long it was to be.
private struct RecordingClock: Clock {
    private let sleeps = Lock<[Duration]>([])
    var slept: [Duration] { sleeps.withLock { $0 } }
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let duration = ContinuousClock.now.duration(to: deadline)
        sleeps.withLock { $0.append(.seconds((duration / .seconds(1)).rounded())) }
    }
}
