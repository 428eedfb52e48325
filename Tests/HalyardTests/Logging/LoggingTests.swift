import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Logging of requests.
struct LoggingTests {
    /// A client with a stub, and the events of its log.
    private struct Told {
        let events = Lock<[LogEvent]>([])
        let stub = StubTransport()
        var log: EventLog { .custom { [events] event in events.withLock { $0.append(event) } } }
        var kinds: [LogEvent.Kind] { events.withLock { $0.map(\.kind) } }
        var all: [LogEvent] { events.withLock { $0 } }

        func api(_ interceptors: [any Interceptor] = []) -> TestAPI {
            TestAPI(
                baseURL: URL(filePath: "/"), client: HTTPClient(transport: stub, interceptors: interceptors, log: log)
            ).with(\.baseURL, home)
        }

        private var home: URL { URL(string: "https://api.example.com/v1") ?? URL(filePath: "/") }
    }

    private struct Signing: Interceptor {
        let name: String
        var value = "signed"
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            var request = request
            request.headers[name] = value
            return try await next.proceed(request)
        }
    }

    @Test("a header added by an interceptor is on the wire and in the log, even in dry mode", .behaviors(64))
    func interceptorsHeader() async throws {
        let server = try LoopbackServer().on(.get, "/me", .status(200))
        let lines = Lock("")
        let client = HTTPClient(
            interceptors: [Signing(name: "X-Outer"), Signing(name: "X-Inner")],
            log: .printing(.headers) { text in lines.withLock { $0 += text } })
        let api = TestAPI(baseURL: server.baseURL, client: client)
        try await api.request(.me).void()
        #expect(try server.request.headers["X-Outer"] == "signed")
        #expect(try server.request.headers["X-Inner"] == "signed")
        #expect(lines.withLock { $0 }.contains("→ GET \(server.baseURL.absoluteString)/me\n"))
        #expect(lines.withLock { $0 }.contains("\n  X-Outer: signed\n  X-Inner: signed\n"))
        #expect(lines.withLock { $0 }.contains("⏱ GET "))

        lines.withLock { $0 = "" }
        try await api.dry().request(.me).void()
        #expect(lines.withLock { $0 }.contains("\n  X-Outer: signed\n  X-Inner: signed\n← 200 GET"))
        #expect(server.requests.count == 1)
    }

    @Test("the log gets the request and the response or error, all with the same number", .behaviors(130))
    func requestAndResponse() async throws {
        let told = Told()
        told.stub.on(.get, "/me", .json(["id": "1"]), .status(404))
        _ = try await told.api().request(.me).json()
        #expect(told.kinds == [.sent, .response])
        #expect(
            told.all.map(\.request?.url.absoluteString) == Array(repeating: "https://api.example.com/v1/me", count: 2))
        #expect(told.all[1].response?.status == 200 && told.all[1].bytes == 10)
        #expect((told.all[1].duration ?? .zero) > .zero)

        await #expect(throws: HTTPError.status(404)) { try await told.api().request(.me).json() }
        #expect(told.kinds.suffix(3) == [.sent, .response, .failed])
        #expect(told.all[4].error.map { $0 == HTTPError.status(404) } ?? false)
        #expect(Set(told.all[..<2].map(\.id)).count == 1 && Set(told.all[2...].map(\.id)).count == 1)
        #expect(told.all[0].id != told.all[2].id)
        #expect(told.all[4].description == "✗ GET https://api.example.com/v1/me: 404 Not Found")
    }

    @Test(
        "a failure is logged once at every stage, and an unusual URL does not crash", .behaviors(130), .defects("BR14")
    )
    func failures() async throws {
        let told = Told()
        told.stub.on(.get, "/me", .json(text: "{"))
        told.stub.on(.get, "/search") { _ in throw HTTPError.timedOut }
        let odd = Route(path: "/search", params: ["q": "%zz % \u{0}", "s": "é"])
        let api = told.api()
        await #expect(throws: HTTPError.timedOut) { try await api.request(odd).data() }
        #expect(told.kinds == [.sent, .failed])
        #expect(told.all.map(\.description)[0].hasSuffix("/search?q=%25zz%20%25%20%00&s=%C3%A9"))
        await #expect(throws: HTTPError(.invalidPath("/user/.."))) { try await api.request(.user("..")).data() }
        #expect(told.kinds.suffix(1) == [.failed] && told.all.last?.request == nil)
        await #expect(throws: HTTPError.decoding) { try await api.request(.me).json() }
        #expect(told.kinds.suffix(3) == [.sent, .response, .failed])
        await #expect(throws: HTTPError.decoding) { try await api.request(.me).object([String: String].self) }
        #expect(told.kinds.suffix(3) == [.sent, .response, .failed])
        let strict = api.with(\.onValidate) { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await strict.request(.me).data() }
        #expect(told.kinds.suffix(3) == [.sent, .response, .failed])
        let none = try HTTPRequest(.get, api.baseURL.appending(path: "none"))
        await #expect(throws: HTTPError(.noStub("GET /v1/none"))) { try await api.client.send(none) }
        #expect(told.kinds.suffix(2) == [.sent, .failed])
        #expect(told.kinds.count == 14)
    }

    private struct Silent: HTTPProvider {
        var baseURL: URL
        var client: HTTPClient
        let log = EventLog.silent
    }

    fileprivate struct Choosy {
        var baseURL: URL
        var client: HTTPClient
        let own: @Sendable (LogEvent) -> Void
    }

    @Test("`let log = EventLog.silent` silences the log of a provider, even in dry mode")
    func silenced() async throws {
        let told = Told()
        told.stub.on(.get, "/me", .status(200))
        let silent = Silent(baseURL: told.api().baseURL, client: told.api().client)
        try await silent.request(.me).void()
        try await silent.dry().request(.me).void()
        #expect(told.kinds.isEmpty)
        #expect(told.stub.requests.count == 1)
    }

    @Test(
        "a provider's own log gets events even if the client's is silent, and may pass on some of them", .behaviors(130)
    )
    func ownHook() async throws {
        let told = Told()
        told.stub.on(.get, "/me", .status(200))
        let own = Lock<[LogEvent.Kind]>([])
        let note: @Sendable (LogEvent) -> Void = { event in own.withLock { $0.append(event.kind) } }
        try await Choosy(baseURL: told.api().baseURL, client: told.api().client, own: note).request(.me).void()
        #expect(own.withLock { $0 } == [.sent, .response])
        #expect(told.kinds == [.response])
        let quiet = HTTPClient(transport: told.stub)
        let api = Choosy(baseURL: told.api().baseURL, client: quiet, own: note)
        try await api.request(.me).void()
        try await api.dry().request(.me).void()
        #expect(own.withLock { $0.count } == 6)
    }

    @Test func `without a log no event is created`() {
        let quiet = HTTPClient(transport: StubTransport())
        let told = Told()
        let home = told.api().baseURL
        func log(_ provider: any HTTPProvider) -> RequestLog? {
            ProviderSnapshot(provider, for: Route(path: "")).log
        }
        #expect(log(TestAPI(baseURL: home, client: quiet)) == nil)
        #expect(log(TestAPI(baseURL: home, client: quiet).dry()) == nil)
        #expect(log(told.api()) != nil)
        #expect(log(told.api().dry()) != nil)
        #expect(log(Choosy(baseURL: home, client: quiet) { _ in }) != nil)
        #expect(log(Choosy(baseURL: home, client: quiet) { _ in }.dry()) != nil)
    }
}

extension LoggingTests.Choosy: HTTPProvider {
    var log: EventLog {
        .custom { event in
            own(event)
            if event.kind != .sent { client.log(event) }
        }
    }
}
