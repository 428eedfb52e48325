import Foundation
import HalyardAsync
import HalyardTesting
import HalyardTracing
import TestSupport
import Testing

// The examples of the article on tracing, word for word. The types of other packages are in TracingPackages.swift.

private struct OrdersAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

extension Route { fileprivate static let orders = Route(path: "/orders") }

private func making() -> HTTPClient {
    let client = HTTPClient(configuration: .init(policies: [.tracing()]))
    return client
}

private func continuing(_ fields: [String: String], _ api: OrdersAPI) async throws {
    let received = TraceContext(
        traceparent: fields["traceparent"] ?? "", tracestate: fields["tracestate"])
    try await TraceContext.$current.withValue(received ?? .random()) {
        try await api.request(.orders).void()
    }
}

private func choosing() -> ClientPolicy {
    let inside = ClientPolicy.tracing(context: { request in
        request.origin.host.hasSuffix(".example.com") ? .current : nil
    })
    return inside
}

private func reporting() -> ClientPolicy {
    let reported = ClientPolicy.tracing(onEnd: { context, trace in
        print(
            context.traceID, trace.request.method, trace.duration,
            trace.errorType ?? "ok")
        for event in trace.events { print(event.name, event.offset) }
    })
    return reported
}

struct DistributedTracer: RequestTracer {
    struct FieldInjector: Injector {
        func inject(
            _ value: String, forKey key: String, into fields: inout HTTPHeaders
        ) { fields[key] = value }
    }

    func startSpan(for request: HTTPRequest, fields: inout HTTPHeaders)
        -> any Tracing.Span
    {
        let span = Tracing.startSpan("\(request.method)", ofKind: .client)
        InstrumentationSystem.instrument.inject(
            span.context, into: &fields, using: FieldInjector())
        return span
    }

    func endSpan(_ span: any Tracing.Span, _ trace: RequestTrace) {
        for (name, value) in trace.attributes {
            span.attributes[name] = value.string ?? "\(value)"
        }
        if trace.errorType != nil { span.setStatus(.init(code: .error)) }
        span.end()
    }
}

private func logging() -> EventLog {
    let logger = Logger(label: "http")
    let log = EventLog.custom { event in
        let level: Logger.Level = event.kind == .failed ? .error : .debug
        logger.log(level: level, "\(event)", metadata: ["request": "\(event.id)"])
    }
    return log
}

private func measuring() -> EventLog {
    let meters = EventLog.custom { event in
        switch event.kind {
        case .response:
            let status = [("status", "\(event.response?.status ?? 0)")]
            Metrics.Timer(label: "http_client_request", dimensions: status)
                .record(duration: event.duration ?? .zero)
        case .failed: Metrics.Counter(label: "http_client_failures").increment()
        default: break
        }
    }
    return meters
}

struct TracingArticleTests {
    private func send(_ tracing: ClientPolicy, _ log: EventLog = .silent) async throws -> HTTPHeaders {
        let stub = StubTransport().on(.get, "/orders", .status(404))
        let client = HTTPClient(
            transport: stub, configuration: .init(policies: [tracing]), log: log)
        let fields = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
        await #expect(throws: HTTPError.status(404)) { try await continuing(fields, OrdersAPI(client: client)) }
        return try #require(stub.requests.first?.headers)
    }

    @Test func `requests carry the trace of the task`() async throws {
        #expect(making().configuration.policies.count == 1)
        for tracing in [choosing(), reporting()] {
            #expect(try await send(tracing)["traceparent"]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
        }
    }

    @Test func `the bridges pass on traces, logs and metrics`() async throws {
        let fields = try await Journal.$current.withValue(Journal()) {
            let fields = try await send(.tracing(DistributedTracer()), .combined(logging(), measuring()))
            #expect(Journal.current.lines.entries.filter { $0.hasPrefix("span") } == ["span GET error 404"])
            #expect(Journal.current.lines.entries.filter { $0.hasPrefix("error") }.count == 1)
            #expect(
                Journal.current.lines.entries.filter { $0.hasPrefix("http_client") }
                    == ["http_client_request 404", "http_client_failures"])
            return fields
        }
        #expect(fields["x-span"] == "GET")
    }
}
