import HalyardFoundation
public import HalyardHTTP

/// A transport that returns responses from a table. The whole pipeline runs, and nothing leaves the process.
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
/// Patterns are those of ``StubHost/on(_:_:where:times:_:_:)``. A pattern matches the whole path, or the path after that of
/// the provider's base URL: with the base URL `https://api.example.com/v1`, both `/v1/user/{id}` and `/user/{id}` match
/// `/v1/user/1`. The longer one takes precedence. Neither matches `/v1/team/7/user/1`. A request without a provider, to
/// another origin, or with a URL that an interceptor has changed is compared by its whole path. Scheme and host are
/// ignored. A request that matches no stub fails with ``HTTPError`` of kind `noStub`, which names the most similar
/// stubs.
public final class StubTransport: Transport, StubHost {
    private struct State: Sendable {
        var table = StubTable()
        var record = RequestRecord()
    }

    private let state = Lock(State())
    private let clock: any Clock<Duration>

    /// Makes a transport without stubs.
    ///
    /// - Parameter clock: Measures ``MockResponse/delayed(by:)``. Defaults to `ContinuousClock()`.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        StubCollector.current?.add { [state] in Self.verification(of: state) }
    }

    /// Adds a stub. It replaces a stub with the same method, pattern and conditions.
    public func add(_ stub: Stub) { state.withLock { $0.table.set(stub) } }

    /// The requests so far, compared with the stubs.
    public var verification: StubVerification { Self.verification(of: state) }

    private static func verification(of state: Lock<State>) -> StubVerification {
        state.withLock { StubVerification(problems: $0.table.problems, order: $0.record.requests.compactMap(\.stub)) }
    }

    /// All requests so far, in the order of sending.
    public var requests: [RecordedRequest] { state.withLock { $0.record.requests } }

    /// Waits for a request, and returns it. It returns at once if the request was sent before.
    ///
    /// ```swift
    /// model.save()  // starts a task
    /// let saved = try await stub.request(2)
    /// ```
    ///
    /// - Parameters:
    ///   - number: The number of the request, from 1. Defaults to the first one.
    ///   - limit: The longest time to wait, on the system's clock. Defaults to 10 seconds.
    /// - Throws: ``WaitTimeout`` after the limit. `CancellationError`.
    public func request(_ number: Int = 1, within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        try await state.request(number, in: \.record, within: limit, from: "stub transport")
    }

    /// Returns the response of the matching stub.
    ///
    /// - Parameter context: The time limits and the progress handler.
    /// - Throws: ``HTTPError`` of kind `invalidHeader`, `timedOut` for a delay that is longer than the context's
    ///   timeout, `bodyTooLarge`, or `noStub` if no stub matches. The error of the stub's closure. `CancellationError`.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        do { return try await response(to: request, context) } catch let error as HTTPError {
            throw error.adding(request: request)
        }
    }

    private func response(to request: HTTPRequest, _ context: TransferContext) async throws -> HTTPResponse {
        try request.checkHeaders()
        try Task.checkCancellation()
        let body = try await request.body?.data() ?? Data()
        let response = try answer(to: request, body)
        try await reportUpload(of: request, body.count, response, context)
        try await wait(response.delay, timeout: context.timeout)
        return try await received(response, by: request, context)
    }

    private func reportUpload(
        of request: HTTPRequest, _ count: Int, _ response: MockResponse, _ context: TransferContext
    ) async throws {
        var upload = ProgressMeter(.upload, total: request.body?.length, step: 1, context.progress)
        if count > 0 {
            for step in 1...response.uploadReports {
                if step > 1, response.uploadInterval > .zero { try await clock.sleep(for: response.uploadInterval) }
                upload.advance(to: Int64(count * step / response.uploadReports))
            }
        }
        upload.finish()
    }

    private func answer(to request: HTTPRequest, _ body: Data) throws -> MockResponse {
        var recorded = RecordedRequest(stubbing: request, body)
        let (reply, names) = state.withLock { state in
            let reply = state.table.reply(to: &recorded, below: request.basePath)
            state.record.append(recorded)
            return (reply, reply == nil ? state.table.names(nearest: recorded, below: request.basePath) : [])
        }
        guard let reply else { throw Self.noStub(recorded, names) }
        return try reply.response(to: recorded)
    }

    private func wait(_ delay: Duration, timeout: Duration?) async throws {
        guard delay > .zero else { return }
        try await clock.sleep(for: timeout.map { min($0, delay) } ?? delay)
        guard let timeout, timeout < delay else { return }
        throw HTTPError.exceeded(
            .request, reason: "it took longer than \(timeout): the stub's response is delayed by \(delay)")
    }

    private func received(
        _ response: MockResponse, by request: HTTPRequest, _ context: TransferContext
    ) async throws -> HTTPResponse {
        if let failure = response.failure, response.failureOffset == nil { throw failure }
        if let fault = response.fault, fault.byteCount != nil {
            guard case .stall = fault.end else { throw HTTPError.connectionLost }
            try await wait(.seconds(1 << 30), timeout: context.timeout)
        }
        guard let message = response.message(to: request.method) else {
            throw HTTPError(
                .invalidResponse, reason: "a StubTransport cannot send raw bytes",
                suggestion: "Send raw bytes from a LoopbackServer")
        }
        let body = StubBody(
            chunks: message.chunks ?? [], interval: response.interval, failure: response.failure,
            failureOffset: response.failureOffset, clock: clock)
        var received = try await HTTPResponse(
            receiving: body, status: message.status, headers: message.headers, for: request, context: context)
        received.notes.isStub = true
        return received
    }

    private static func noStub(_ request: RecordedRequest, _ names: [String]) -> HTTPError {
        let nearest = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", and \(names.count - 5) more" : "")
        let suggestion = names.isEmpty ? "There are no stubs. Add one with stub.on(...)" : "The stubs are: \(nearest)"
        return HTTPError(.noStub("\(request.method) \(request.path)"), suggestion: suggestion)
    }
}

extension RecordedRequest {
    /// Makes the record of a request, as a server would receive it. The target is the text of the URL.
    fileprivate init(stubbing request: HTTPRequest, _ body: Data) {
        let url = request.address.text.prefix { $0 != "#" }
        let start = url.firstRange(of: "://").flatMap { url[$0.upperBound...].firstIndex { $0 == "/" || $0 == "?" } }
        let target = start.map { url[$0...] } ?? ""
        self.init(
            method: request.method, target: target.hasPrefix("/") ? String(target) : "/" + target,
            headers: request.headers, body: body)
        origin = request.origin
    }
}

/// The body of a stub's response, as a transport receives it: chunks over time, and an error in place of the rest.
struct StubBody: AsyncSequence, Sendable {
    let chunks: [Data]
    let interval: Duration
    let failure: HTTPError?
    /// The number of bytes before the error. `nil` without an error.
    let failureOffset: Int?
    let clock: any Clock<Duration>

    struct Iterator: AsyncIteratorProtocol {
        let body: StubBody
        var index = 0
        var sent = 0

        mutating func next() async throws -> Data? {
            let rest = body.failureOffset.map { $0 - sent }
            guard index < body.chunks.count, rest != 0 else {
                if rest != nil, let failure = body.failure { throw failure }
                return nil
            }
            if index > 0, body.interval > .zero { try await body.clock.sleep(for: body.interval) }
            let chunk = body.chunks[index].prefix(rest ?? .max)
            index += 1
            sent += chunk.count
            return Data(chunk)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }
}
