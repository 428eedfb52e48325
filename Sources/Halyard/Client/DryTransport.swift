import HalyardFoundation
import HalyardHTTP

/// A transport that sends nothing. It returns the response of an endpoint's stub, or an empty 200.
struct DryTransport: Transport {
    /// Makes the response to a request.
    typealias Stub = @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// The stub of the request's endpoint. `nil` if it has none.
    var stub: Stub?

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        if let length = request.body?.length {
            context.progress?(.upload, TransferProgress(completed: length, total: length))
        }
        var response = try await stub?(request) ?? HTTPResponse(status: 200, from: request.address)
        let body = response.data
        response.data = Data()
        if case .file = request.destination.place {
            response = try await blocking { [response] in
                var response = response
                try response.deliver(body, to: request)
                return response
            }
        } else {
            try response.deliver(body, to: request)
        }
        let length = (response.downloadFile?.offset ?? 0) + Int64(body.count)
        if !body.isEmpty { context.progress?(.download, TransferProgress(completed: length, total: length)) }
        return response
    }
}

extension HTTPClient {
    /// Returns a client with the same interceptors, configuration, policies, limits, budget and clock that sends nothing. See ``HTTPProvider/dry()``.
    public func dry() -> HTTPClient { dry(DryTransport()) }

    /// Whether the client sends nothing; see ``dry()``.
    public var isDry: Bool { transport is DryTransport }

    /// Returns a client for one request: a client in dry mode answers it with a stub.
    func stubbedIfDry(_ stub: @escaping DryTransport.Stub) -> HTTPClient {
        isDry ? dry(DryTransport(stub: stub)) : self
    }

    private func dry(_ transport: DryTransport) -> HTTPClient { sending(over: transport, configuration) }
}
