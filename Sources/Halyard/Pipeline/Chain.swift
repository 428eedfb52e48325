public import HalyardHTTP

/// The rest of the pipeline, as an ``Interceptor`` sees it. A value: proceed as often as you like.
public struct Chain: Sendable {
    private let interceptors: ArraySlice<any Interceptor>
    private let transport: any Transport
    private let context: TransferContext

    package init(_ interceptors: ArraySlice<any Interceptor>, _ transport: any Transport, _ context: TransferContext) {
        self.interceptors = interceptors
        self.transport = transport
        self.context = context
    }

    /// Sends the request through what is left of the pipeline.
    public func proceed(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let next = interceptors.first else { return try await transport.send(request, context: context) }
        return try await next.intercept(request, next: Chain(interceptors.dropFirst(), transport, context))
    }
}
