public import Halyard
import HalyardHTTP

/// Creates a span for each request that is sent, and adds the headers that carry it.
///
/// Conform to it to use your program's tracing system. ``Halyard/ClientPolicy/tracing(onEnd:context:)`` needs none.
///
/// ```swift
/// struct Tracer: RequestTracer {
///     func startSpan(for request: HTTPRequest, fields: inout HTTPHeaders) -> MySpan {
///         let span = MyTracing.start("\(request.method)")
///         fields["traceparent"] = span.traceparent
///         return span
///     }
///     func endSpan(_ span: MySpan, _ trace: RequestTrace) { span.end(trace.attributes) }
/// }
/// ```
public protocol RequestTracer: Sendable {
    /// The span of one request.
    associatedtype Span: Sendable

    /// Starts a span. This is called each time a request is sent, including redirects, retries and hedged requests, in
    /// the task of the request.
    ///
    /// - Parameter fields: The headers of the request. Add those that carry the span to the server.
    func startSpan(for request: HTTPRequest, fields: inout HTTPHeaders) -> Span

    /// Ends a span, once. For a stream, the span ends when the headers of the response have been received.
    func endSpan(_ span: Span, _ trace: RequestTrace)
}

/// Continues the trace of the current task, or begins one, with the header fields of the W3C.
private struct TraceContextTracer: RequestTracer {
    let onEnd: @Sendable (TraceContext, RequestTrace) -> Void
    let context: @Sendable (HTTPRequest) -> TraceContext?

    func startSpan(for request: HTTPRequest, fields: inout HTTPHeaders) -> TraceContext? {
        guard let context = context(request)?.child() else { return nil }
        fields["traceparent"] = context.traceparent
        fields["tracestate"] = context.state.isEmpty ? nil : context.state
        return context
    }

    func endSpan(_ span: TraceContext?, _ trace: RequestTrace) {
        if let span { onEnd(span, trace) }
    }
}

extension ClientPolicy {
    /// Creates a span for each request that is sent, and adds the headers that carry it to the server.
    ///
    /// Redirects, retries and hedged requests have their own spans. A response from a cache has none. A span does not
    /// include the time that a request waits for a limit.
    public static func tracing(_ tracer: some RequestTracer) -> ClientPolicy {
        ClientPolicy(.tracing, Tracing(tracer: tracer))
    }

    /// Continues the trace of the task, or begins one, with the W3C's headers. See ``tracing(_:)``.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.tracing()]))
    /// ```
    ///
    /// - Parameters:
    ///   - onEnd: Receives the context of each request, whose span ID was sent, and the record of the request. It is
    ///     called in the task of the request, which waits for it. Defaults to nothing.
    ///   - context: Returns the context of the code that sends the request, or `nil` for a request without a trace,
    ///     whose headers are not changed. Defaults to ``TraceContext/current``, or else a new trace.
    public static func tracing(
        onEnd: @escaping @Sendable (TraceContext, RequestTrace) -> Void = { _, _ in },
        context: @escaping @Sendable (HTTPRequest) -> TraceContext? = { _ in .current ?? .random() }
    ) -> ClientPolicy {
        tracing(TraceContextTracer(onEnd: onEnd, context: context))
    }
}

private struct Tracing<Tracer: RequestTracer>: Interceptor {
    let tracer: Tracer

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        var sent = request
        let time = next.context.time
        let span = tracer.startSpan(for: request, fields: &sent.headers)
        let start = time.now()
        func end(_ result: Result<HTTPResponse, any Error>) {
            tracer.endSpan(span, RequestTrace(request: sent, result: result, duration: time.now() - start))
        }
        do {
            let response = try await next.proceed(sent)
            end(.success(response))
            return response
        } catch {
            end(.failure(error))
            throw error
        }
    }
}
