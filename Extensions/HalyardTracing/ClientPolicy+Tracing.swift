public import Halyard
import HalyardHTTP

extension ClientPolicy {
    /// Makes a span for each request that is sent, and adds the header fields that carry it to the server.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.tracing()]))
    /// ```
    ///
    /// Redirects, retries and hedged requests have spans of their own. A response of a cache has none. The time that a
    /// request waits for a limit is not included.
    ///
    /// - Parameter tracer: Makes the spans. Defaults to a ``TraceContextTracer``, which continues the trace of the task.
    public static func tracing(_ tracer: some RequestTracer = TraceContextTracer()) -> ClientPolicy {
        ClientPolicy(.tracing, Tracing(tracer: tracer))
    }
}

/// Makes a span for each request.
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
