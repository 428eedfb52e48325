import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Part A12 of the acceptance table: dry mode.
@Suite(.timeLimit(.minutes(3)))
struct DryTests {
    /// Fails the test when anything reaches it.
    struct Untouchable: Transport {
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            Issue.record("\(request.method) \(request.url) reached the transport")
            throw HTTPError(.connectionLost)
        }
    }

    private struct Credentials: Codable, Sendable { var username, password: String }

    private static let login = Endpoint(
        .post, "/login/{team}", .json(Credentials.self), .path("team"), returning: JSON.self
    ) {
        credentials, team in
        .json(["username": credentials.username, "team": team], status: 201)
    }

    @Test(
        "no request reaches the transport in dry mode, and the provider reports that it is dry", .behaviors(126),
        .defects("BR24"))
    func untouched() async throws {
        let api = TestAPI(Untouchable())
        #expect(!api.isDry && api.dry().isDry)
        try await api.dry().request(.me).void()
        #expect(api.dry().encodings.isEmpty, "what the provider has beside is at hand")
        let folder = try TemporaryFolder()
        let saved = try await api.dry().request(.me).download(to: folder.file("x"))
        #expect(try Data(contentsOf: saved).isEmpty)
        for try await chunk in api.dry().request(.me).chunks { Issue.record("\(chunk)") }
    }

    @Test("dry mode keeps the client's clock, budget and limits, and uses a single client")
    func kept() async throws {
        let clock = ManualClock()
        var retry = RetryPolicy.upTo(attempts: 2)
        retry.delay = .zero
        let client = HTTPClient(
            transport: Untouchable(),
            configuration: .init(
                timeout: .seconds(10), retry: retry, retryBudget: .init(ratio: 0, reserve: 1), requestsInFlight: 1),
            clock: clock)
        let api = TestAPI(Untouchable()).with(\.client, client)
        let dry = api.dry()
        #expect(dry.client === dry.client)
        let (gate, entered) = (Gate(), Counter())
        defer { gate.open() }
        let slow = Endpoint(.get, "/slow", returning: String.self) {
            entered.increment()
            gate.wait()
            return .json("done")
        }
        let first = Task { try await dry.send(slow) }
        try await eventually("the first request runs") { entered.count == 1 }
        let second = Task { try await dry.request(.me).void() }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        await #expect(throws: HTTPError.timedOut) { try await second.value }
        gate.open()
        _ = try? await first.value
        let failing = Endpoint(.get, "/failing", returning: JSON.self) { .status(503) }
        #expect(await failure { _ = try await dry.send(failing) }?.reason == nil)
        let refused = await failure { _ = try await api.dry().send(failing) }
        #expect(refused == .status(503) && refused?.reason?.contains("retryBudget") == true)
    }

    @Test("the error for an endpoint without a stub says that the provider is in dry mode", .behaviors(127))
    func unanswered() async throws {
        let api = TestAPI(Untouchable()).dry()
        let find = Endpoint(.get, "/people/{id}", .path("id"), returning: JSON.self)
        let words = """
            The response has no body where a value was expected: the client is in dry mode, and the request has \
            no stub (GET https://api.example.com/v1/people/1 answered 200). Add a stub to the endpoint. For a plain route \
            or invoke, use a StubTransport.
            """
        let sent = await failure { _ = try await api.send(find("1")) }
        #expect(sent == HTTPError(.emptyResponse) && sent?.description == words)
        #expect(await failure { _ = try await api.call(find("1")).value() }?.description == words)
        let invoked = await failure { _ = try await api.invoke(.get, "people/1", returning: [Int].self) }
        #expect(invoked?.description == words)
        #expect(await failure { _ = try await api.request(.me).json() }?.description.contains("dry mode") == true)
        try await api.invoke(.delete, "people/1")
        #expect(try await api.invoke(.get, "people/1", returning: [Int]?.self) == nil)
        // An empty response of a stub is returned as it is.
        let empty = Endpoint(.get, "/people", returning: JSON.self) { .status(200) }
        #expect(await failure { _ = try await api.send(empty) }?.reason == nil)
    }

    @Test("an endpoint's stub gets the arguments of the call", .behaviors(127))
    func stubbed() async throws {
        let call = TestAPI(Untouchable()).dry()
            .call(Self.login(Credentials(username: "bobby", password: "x"), "blue"))
        let response = await call.response()
        #expect(response.status == 201)
        #expect(response.isSuccessful)
        #expect(response.value?["username"].string == "bobby")
        #expect(response.value?["team"].string == "blue")
    }

    @Test("a stub is a literal of mixed types, in the order written, or of a single type", .behaviors(127))
    func literals() async throws {
        let api = TestAPI(Untouchable()).dry()
        let mixed = Endpoint(.get, "/x", returning: String.self) {
            .json(["b": 1, "a": "x", "c": [nil, true]], status: 201)
        }
        #expect(try await api.request(mixed).text() == #"{"b":1,"a":"x","c":[null,true]}"#)
        let plain = Endpoint(.get, "/x", returning: [String: Int].self) { .json(["b": 1]) }
        #expect(try await api.send(plain) == ["b": 1])
    }

    @Test("an unstubbed request in dry mode gets an empty 200", .behaviors(128))
    func unstubbed() async throws {
        let api = TestAPI(Untouchable()).dry()
        let response = try await api.request(.me).response()
        #expect(response.status == 200 && response.data.isEmpty && response.headers.isEmpty)
        #expect(await failure { _ = try await api.request(.me).object(User.self) }?.kind == .emptyResponse)
    }

    @Test("interceptors, hooks and request errors work in dry mode", .behaviors(64, 65))
    func pipeline() async throws {
        struct Mark: Interceptor {
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                var request = request
                request.headers["X-Mark"] = "1"
                var response = try await next.proceed(request)
                response.status = 418
                return response
            }
        }
        let seen = Log<Int>()
        let api = TestAPI(Untouchable(), Mark()).with(\.onValidate) { seen.add($0.status) }
        try await api.dry().request(.me).void()
        #expect(seen.entries == [418])
        let bad = Route(path: "/x", method: .post, body: .file(URL(filePath: "/does/not/exist")))
        #expect(await failure { try await api.dry().request(bad).void() }?.kind == .unreadableFile("/does/not/exist"))
    }

    @Test("a stub may fail, stream and use any status; a value that cannot be encoded fails")
    func others() async throws {
        struct Broken: Error {}
        let failing = Endpoint(.get, "/x", .query("n", as: Int.self), returning: String.self) { n throws in
            if n == 0 { throw Broken() }
            return n == 1 ? .text("one", status: 404) : .data(Data(repeating: 7, count: n))
        }
        let api = TestAPI(Untouchable()).dry()
        await #expect(throws: Broken.self) { try await api.send(failing(0)) }
        await #expect(throws: HTTPError.status(404)) { try await api.send(failing(1)) }
        var count = 0
        for try await chunk in api.request(failing(3 << 20)).chunks { count += chunk.count }
        #expect(count == 3 << 20)
    }
}
