import HalyardFoundation
import HalyardHTTP

/// An engine that sends nothing: a request is answered by what its endpoint carries for that, or by an empty 200.
struct DryTransport: Transport {
    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        if let length = request.body?.length {
            context.progress?(.upload, TransferProgress(completed: length, total: length))
        }
        var response = try await context.answer?(request) ?? .unanswered(request)
        let body = response.data
        response.data = Data()
        do { try response.deliver(body, to: request) } catch let error as HTTPError {
            throw error.of(request)
        }
        let length = (response.sink?.offset ?? 0) + Int64(body.count)
        if !body.isEmpty { context.progress?(.download, TransferProgress(completed: length, total: length)) }
        return response
    }
}

extension HTTPResponse {
    fileprivate static func unanswered(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: 200, from: request.address)
        response.source = .dryRun
        return response
    }
}

extension HTTPClient {
    /// The same interceptors and configuration, over an engine that sends nothing. See `HTTPProvider.dry()`.
    public func dry() -> HTTPClient {
        HTTPClient(
            transport: DryTransport(), interceptors: interceptors, networkInterceptors: networkInterceptors,
            configuration: configuration, log: log)
    }

    /// Whether it sends nothing.
    public var isDry: Bool { transport is DryTransport }
}
