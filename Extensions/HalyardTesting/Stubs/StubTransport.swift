import HalyardFoundation
public import HalyardHTTP

/// A transport that returns responses from a table. The whole pipeline runs, but nothing leaves the process.
///
/// ```swift
/// let stub = StubTransport()
///     .on(.get, "/user/{id}", .json(User(id: "1", name: "Ann")))
///     .on(.post, "/login", .status(503, retryAfter: 2), .json(login))
///     .on(.get, "/slow") { _ in throw HTTPError.timedOut }
/// let api = MusicAPI(client: HTTPClient(transport: stub))
/// ...
/// #expect(stub.requests.map(\.path) == ["/user/1"])
/// ```
///
/// For patterns, see ``StubHost/on(_:_:where:times:_:_:)``. A pattern matches the whole path, or the path after that of
/// the provider's base URL: with the base URL `https://api.example.com/v1`, both `/v1/user/{id}` and `/user/{id}` match
/// `/v1/user/1`. The longer one takes precedence. Neither matches `/v1/team/7/user/1`. If a request has no provider,
/// goes to another origin, or has a URL that an interceptor has changed, its whole path is compared. Scheme and host
/// are ignored. A request that matches no stub fails with ``HTTPError`` of kind `noStub`, which names the most similar
/// stubs.
public final class StubTransport: Transport, StubHost {
    /// The stubs and the requests so far.
    public let stubs = StubRegistry(of: "stub transport")
    private let time: PipelineTime

    /// Creates a transport without stubs.
    ///
    /// - Parameter clock: Measures the times of responses, such as `delayed(by:)`.
    public init(clock: any Clock<Duration> = ContinuousClock()) { time = PipelineTime(clock) }

    /// Returns the response of the matching stub.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader`, `timedOut` if a delay is longer than the context's timeout,
    ///   `bodyTooLarge`, or `noStub` if no stub matches. The error of the stub's closure. `CancellationError`.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        do {
            try request.checkHeaders()
            try Task.checkCancellation()
            let body = try await request.body?.data() ?? Data()
            let response = try stubs.response(to: RecordedRequest(stubbing: request, body), below: request.basePath)
            return try await response.framed().answer(to: request, uploading: Int64(body.count), context, time)
        } catch {
            let known = (error as? UnmatchedRequest)?.noStub ?? error as? HTTPError
            throw known?.adding(request: request) ?? error
        }
    }
}

extension UnmatchedRequest {
    fileprivate var noStub: HTTPError {
        let nearest = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", and \(names.count - 5) more" : "")
        let suggestion = names.isEmpty ? "There are no stubs. Add one with stub.on(...)" : "The stubs are: \(nearest)"
        return HTTPError(.noStub("\(request.method) \(request.path)"), suggestion: suggestion)
    }
}

extension RecordedRequest {
    /// Makes the record of a request, as a server would receive it. The target is the text of the URL.
    fileprivate init(stubbing request: HTTPRequest, _ body: Data) {
        let target = Self.withoutOrigin(String(request.address.text.prefix { $0 != "#" }))
        self.init(
            method: request.method, target: target.hasPrefix("/") ? String(target) : "/" + target,
            headers: request.headers, body: body)
        origin = request.origin
    }
}
