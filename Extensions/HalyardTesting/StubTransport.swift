import HalyardFoundation
public import HalyardHTTP

/// A transport that answers from a table: the whole pipeline runs, nothing leaves the process, nothing is global.
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
/// Patterns are those of ``LoopbackServer/on(_:_:_:_:)``. Each matches the whole path, or all of it behind the path of the
/// provider's base URL: with a base `https://api.example.com/v1` both `/v1/user/{id}` and `/user/{id}` answer
/// `/v1/user/1`, the longer one first, and neither answers `/v1/team/7/user/1`. A request without a provider, one to
/// another origin, or one whose URL an interceptor has changed, matches by its whole path. Scheme and host are not looked
/// at. A request that no stub answers fails with ``HTTPError`` of kind `noStub`, which names the nearest stubs.
public final class StubTransport: Transport, Sendable {
    private struct State: Sendable {
        var table = StubTable()
        var requests: [RecordedRequest] = []
    }

    private let state = Lock(State())
    private let clock: any Clock<Duration>

    /// Makes a stub that answers nothing yet.
    ///
    /// - Parameter clock: what ``MockResponse/delayed(by:)`` is measured with.
    public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    /// Answers requests of that method and pattern, each with the next response; the last one repeats.
    ///
    /// Replaces an earlier stub of the same method and pattern. See ``LoopbackServer/on(_:_:_:_:)`` for patterns.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ response: MockResponse, _ more: MockResponse...
    ) -> Self {
        state.withLock { $0.table.set(method, pattern, .sequence([response] + more)) }
        return self
    }

    /// Answers requests of that method and pattern with what `answer` makes of them.
    ///
    /// What it throws, an ``HTTPError`` for one, is thrown by ``send(_:context:)``: so errors are stubbed.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ answer: @escaping @Sendable (RecordedRequest) throws -> MockResponse
    ) -> Self {
        state.withLock { $0.table.set(method, pattern, .closure(answer)) }
        return self
    }

    /// Every request so far, in the order of sending.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// Answers a request from the table.
    ///
    /// - Throws: ``HTTPError`` as an engine would: a bad header, `timedOut` where the delay is longer than the
    ///   context's timeout, `bodyTooLarge`; `noStub` where nothing matches; what the stub's closure throws;
    ///   `CancellationError`.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try request.checkHeaders()
        try Task.checkCancellation()
        let body = try await request.body?.data() ?? Data()
        var upload = ProgressMeter(.upload, total: request.body?.length, context.progress)
        if !body.isEmpty { upload.advance(to: Int64(body.count)) }
        upload.finish()

        let response = try answer(to: request, body)
        try await wait(response.delay, for: request, timeout: context.timeout)
        return try received(response, by: request, context)
    }

    private func answer(to request: HTTPRequest, _ body: Data) throws -> MockResponse {
        var recorded = RecordedRequest(stubbing: request, body)
        let (reply, names) = state.withLock { state in
            let reply = state.table.reply(to: &recorded, below: request.basePath)
            state.requests.append(recorded)
            return (reply, reply == nil ? state.table.names(nearest: recorded, below: request.basePath) : [])
        }
        guard let reply else { throw Self.noStub(recorded, names).of(request) }
        do { return try reply.response(to: recorded) } catch let error as HTTPError { throw error.of(request) }
    }

    private func wait(_ delay: Duration, for request: HTTPRequest, timeout: Duration?) async throws {
        guard delay > .zero else { return }
        try await clock.sleep(for: timeout.map { min($0, delay) } ?? delay)
        guard let timeout, timeout < delay else { return }
        throw HTTPError.exceeded(
            .request, reason: "it took longer than \(timeout): the stub's answer is delayed by \(delay)",
            request: request)
    }

    private func received(
        _ response: MockResponse, by request: HTTPRequest, _ context: TransferContext
    ) throws -> HTTPResponse {
        guard let message = response.message(to: request.method.rawValue) else {
            throw HTTPError(
                .invalidResponse, reason: "raw bytes need a wire",
                suggestion: "Answer raw bytes from a LoopbackServer", request: request)
        }
        var response = HTTPResponse(status: message.status, headers: message.headers, from: request.address)
        response.source = .stub
        do { try response.deliver(message.body, to: request) } catch let error as HTTPError {
            throw error.of(request)
        }
        var download = ProgressMeter(.download, total: Int64(message.body.count), context.progress)
        download.offset = response.sink?.offset ?? 0
        if !message.body.isEmpty { download.advance(to: Int64(message.body.count)) }
        return response
    }

    private static func noStub(_ request: RecordedRequest, _ names: [String]) -> HTTPError {
        let nearest = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", and \(names.count - 5) more" : "")
        let suggestion = names.isEmpty ? "Nothing is stubbed yet: say stub.on(...)" : "Stubbed are: \(nearest)"
        return HTTPError(.noStub("\(request.method) \(request.path)"), suggestion: suggestion)
    }
}

extension RecordedRequest {
    /// The request as it would stand on the wire: its target is read from the URL's own characters.
    fileprivate init(stubbing request: HTTPRequest, _ body: Data) {
        let url = request.address.text.prefix { $0 != "#" }
        let start = url.firstRange(of: "://").flatMap { url[$0.upperBound...].firstIndex { $0 == "/" || $0 == "?" } }
        let target = start.map { url[$0...] } ?? ""
        self.init(
            method: request.method.rawValue, target: target.hasPrefix("/") ? String(target) : "/" + target,
            headers: request.headers, body: body)
    }
}
