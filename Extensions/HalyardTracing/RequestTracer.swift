public import Halyard
import HalyardHTTP

/// Makes a span for each request that is sent, and adds the header fields that carry it.
///
/// Conform to it to use the tracing system of your program. ``Halyard/ClientPolicy/tracing(onEnd:context:)`` needs no such system.
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

    /// Starts a span. Called each time that a request is sent, also for redirects, retries and hedged requests, in the
    /// task of the request.
    ///
    /// - Parameter fields: The header fields of the request. Add those that carry the span to the server.
    func startSpan(for request: HTTPRequest, fields: inout HTTPHeaders) -> Span

    /// Ends a span, once. The response of a stream ends its span when its header fields have been received.
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
    /// Makes a span for each request that is sent, and adds the header fields that carry it to the server.
    ///
    /// Redirects, retries and hedged requests have spans of their own. A response of a cache has none. The time that a
    /// request waits for a limit is not included.
    public static func tracing(_ tracer: some RequestTracer) -> ClientPolicy {
        ClientPolicy(.tracing, Tracing(tracer: tracer))
    }

    /// Continues the trace of the task, or begins one, with the header fields of the W3C. See ``tracing(_:)``.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.tracing()]))
    /// ```
    ///
    /// - Parameters:
    ///   - onEnd: Receives the context of each request, whose span ID was sent, and what became of the request. It is
    ///     called in the task of the request, which waits for it. Defaults to nothing.
    ///   - context: Returns the context of the code that sends the request, or `nil` for a request without a trace, whose
    ///     fields are not changed. Defaults to ``TraceContext/current``, or a new trace without it.
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
