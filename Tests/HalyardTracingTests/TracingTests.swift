import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import HalyardTracing
import TestSupport
import Testing

/// The spans of requests that a client sends.
@Suite(.timeLimit(.minutes(3)))
struct TracingTests {
    private typealias Ended = (context: TraceContext, trace: RequestTrace)

    private func client(_ ended: Log<Ended>, _ transport: some Transport) -> HTTPClient {
        HTTPClient(
            transport: transport, configuration: .init(policies: [.tracing(onEnd: { ended.add(($0, $1)) })]))
    }

    @Test func `a request continues the trace of its task`() async throws {
        let (stub, ended) = (StubTransport().on(.get, "/api/me", .text("Ann")), Log<Ended>())
        let api = TestAPI(baseURL: URL(string: "https://api.example.com/api")!, client: client(ended, stub))
        let context = try #require(
            TraceContext(traceparent: TraceContextTests.traceparent, tracestate: "a=1"))
        try await TraceContext.$current.withValue(context) { try await api.request(.me).void() }
        let fields = try #require(stub.requests.first?.headers)
        let sent = try #require(
            TraceContext(traceparent: fields["traceparent"] ?? "", tracestate: fields["tracestate"]))
        #expect(sent.traceID == context.traceID && sent.spanID != context.spanID && sent.state == "a=1")
        #expect(ended.entries.map(\.context) == [sent])
        try await api.request(.me).void()
        let other = try #require(TraceContext(traceparent: stub.requests[1].headers["traceparent"] ?? ""))
        #expect(other.traceID != context.traceID && stub.requests[1].headers["tracestate"] == nil)
    }

    @Test func `each send of a request has its own span`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/me", .status(503, retryAfter: 0), .status(302, headers: ["Location": "/moved"])).on(
                .get, "/moved", .text("Ann"))
        let ended = Log<Ended>()
        let configuration = HTTPClient.Configuration(
            retry: .upTo(attempts: 3), policies: [.tracing(onEnd: { ended.add(($0, $1)) })])
        let api = TestAPI(
            baseURL: server.baseURL.appending(path: "api"), client: HTTPClient(configuration: configuration))
        let context = TraceContext.random()
        try await TraceContext.$current.withValue(context) { try await api.request(.me).void() }
        let sent = server.requests.map { $0.headers["traceparent"] ?? "" }
        #expect(ended.entries.map(\.context.traceparent) == sent && Set(sent).count == 3)
        #expect(Set(ended.entries.map(\.context.traceID)) == [context.traceID])
        #expect(ended.entries.map(\.trace.errorType) == ["503", nil, nil])

        let trace = try #require(ended.entries.first?.trace)
        #expect(trace.request.method == .get && trace.duration > .zero)
        #expect(trace.events.map(\.name) == ["dns", "connect", "first byte", "last byte"])
        #expect(trace.events.map(\.offset) == trace.events.map(\.offset).sorted())
        let attributes = Dictionary(uniqueKeysWithValues: trace.attributes.map { ($0.name, $0.value) })
        #expect(
            attributes == [
                "http.request.method": "GET", "server.address": "127.0.0.1",
                "server.port": JSON(server.port), "url.full": "\(server.baseURL)/api/me",
                "http.response.status_code": 503, "network.protocol.version": "1.1",
                "error.type": "503",
            ])
        // The connection is reused.
        #expect(ended.entries.last?.trace.events.map(\.name) == ["first byte", "last byte"])
    }

    @Test func `a failure ends its span, and secrets are masked`() async throws {
        let (stub, ended) = (StubTransport().on(.get, "/me", .fail(.timedOut)), Log<Ended>())
        let api = TestAPI(baseURL: URL(string: "https://api.example.com")!, client: client(ended, stub))
        let route = Route(path: "/me", params: ["access_token": "hidden"])
        await #expect(throws: HTTPError.timedOut) { try await api.request(route).void() }
        let trace = try #require(ended.entries.first?.trace)
        #expect(trace.errorType == "timedOut" && trace.events.isEmpty)
        let url = trace.attributes.first { $0.name == "url.full" }?.value
        #expect(url == .string("https://api.example.com/me?access_token=***"))
        #expect(!trace.attributes.contains { $0.name == "http.response.status_code" })
    }

    @Test(
        "an error's type is a name without the error's values, or its status",
        arguments: [
            (HTTPError.Kind.hostNotFound("a(b).example"), "hostNotFound"), (.tls(.expired), "tls"),
            (.engine(code: 7), "engine"),
            (.status(404), "404"), (.bodyTooLarge(limit: 5), "bodyTooLarge"), (.connectionLost, "connectionLost"),
            (.unreadableFile("/secret/name"), "unreadableFile"), (.rateLimited("key"), "rateLimited"),
        ])
    func errorTypes(kind: HTTPError.Kind, name: String) async throws {
        let (stub, ended) = (StubTransport().on(.get, "/me", .fail(kind)), Log<Ended>())
        let api = TestAPI(baseURL: URL(string: "https://api.example.com")!, client: client(ended, stub))
        await #expect(throws: HTTPError(kind)) { try await api.request(.me).void() }
        let trace = try #require(ended.entries.first?.trace)
        #expect(trace.errorType == name)
        #expect(trace.attributes.last?.value == .string(name))
    }

    @Test func `requests with a handler or a future continue the trace of the code that started them`() async throws {
        let (stub, ended) = (StubTransport().on(.get, "/me", .text("Ann")), Log<Ended>())
        let api = TestAPI(baseURL: URL(string: "https://api.example.com")!, client: client(ended, stub))
        let context = TraceContext.random()
        let future = TraceContext.$current.withValue(context) { api.request(.me).responseText { _ in } }
        _ = try await stub.request(1)
        let second = TraceContext.$current.withValue(context) { api.request(.me).futureResponse() }
        _ = try await second.value
        withExtendedLifetime(future) {}
        let traces = stub.requests.map { TraceContext(traceparent: $0.headers["traceparent"] ?? "")?.traceID }
        #expect(traces == [context.traceID, context.traceID])
    }

    @Test func `no header is sent without a trace context`() async throws {
        let (stub, ended) = (StubTransport().on(.get, "/me", .text("Ann")), Log<Ended>())
        let tracing = ClientPolicy.tracing(onEnd: { ended.add(($0, $1)) }, context: { _ in nil })
        let client = HTTPClient(transport: stub, configuration: .init(policies: [tracing]))
        try await TestAPI(baseURL: URL(string: "https://api.example.com")!, client: client).request(.me).void()
        #expect(stub.requests.first?.headers.contains("traceparent") == false)
        #expect(ended.entries.isEmpty)
    }
}
