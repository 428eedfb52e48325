public import HalyardHTTP

/// The rest of the pipeline, as an ``Interceptor`` sees it. A value: proceed as often as you like.
public struct Chain: Sendable {
    private let interceptors: ArraySlice<any Interceptor>
    private let transport: any Transport
    private let context: TransferContext
    private let log: RequestLog?

    package init(
        _ interceptors: ArraySlice<any Interceptor>, _ transport: any Transport, _ context: TransferContext,
        _ log: RequestLog?
    ) {
        self.interceptors = interceptors
        self.transport = transport
        self.context = context
        self.log = log
    }

    /// Sends the request through what is left of the pipeline.
    public func proceed(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let next = interceptors.first else { return try await send(request) }
        return try await next.intercept(request, next: Chain(interceptors.dropFirst(), transport, context, log))
    }

    /// The end of the pipeline: the request is as the engine gets it.
    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let start = log?.started(request)
        do {
            var response = try await transport.send(request, context: context)
            if !response.isSuccessful { response.sent = .init(request) }
            if let start { log?.answered(request, response, since: start) }
            return response
        } catch let error as HTTPError { throw error.of(request) }
    }
}
