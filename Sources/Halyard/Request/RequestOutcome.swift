import HalyardFoundation
package import HalyardHTTP

/// The outcome of a request, from which every observer makes its own value.
package struct RequestOutcome: Sendable {
    package var request: HTTPRequest?
    package var response: HTTPResponse?
    package var error: (any Error)?
    /// The provider; `nil` for a request that was never started.
    private var provider: ProviderSnapshot?
    /// The number of times that the request was sent.
    var sends = 0
    /// Ends the making of a value from the response when the request is cancelled. `nil` for a request without a run.
    var cancellation: Cancellation?

    init(of provider: ProviderSnapshot? = nil) { self.provider = provider }

    init(error: any Error) { self.error = error }

    /// How values are read from the response.
    package var codec: Codec { provider?.codec ?? .standard }

    /// Whether the client is in dry mode, so that the response is a stub's.
    package var isDry: Bool { provider?.client.isDry ?? false }

    /// Whether the provider's `shouldContinue` returned false, so that handlers are not called.
    package var isStopped: Bool { error.map { $0 == HTTPError(.stopped) } ?? false }

    /// Whether the request was cancelled, by `cancel()` or with its task.
    var isCancelled: Bool { error.map { $0 is CancellationError || $0 == HTTPError.cancelled } ?? false }

    /// Returns the response of a successful request. Throws the error of a request that failed.
    package func get() throws -> HTTPResponse {
        if let error { throw error }
        guard let response else { throw HTTPError(.cancelled, request: request) }
        return response
    }

    /// Returns the value that a serializer makes of the response of a successful request.
    package func value<Value>(_ serializer: ResponseSerializer<Value>) throws -> Value {
        let response = try get()
        do { return try serializer.value(response, codec) } catch { throw logged(error) }
    }

    /// Logs the error of a serializer, and returns it with the request and response.
    package func logged(_ error: any Error) -> any Error {
        if let error = error as? HTTPError { return logged(error) }
        provider?.log?.failed(request, response, error)
        return error
    }

    /// Logs the error of a serializer, and returns it with the request and response.
    package func logged(_ error: HTTPError) -> HTTPError {
        let error = annotated(error)
        provider?.log?.failed(request, response, error)
        return error
    }

    /// Returns an error with the request, the response and a suggestion that fits the provider.
    package func annotated(_ error: HTTPError) -> HTTPError {
        var error = error
        if let provider {
            if !provider.hasStub && response != nil && provider.client.isDry { error = error.ofMissingStub }
            error = error.withSuggestion(for: provider.options)
            if case .status = error.kind, error.retryDelay == nil, let response {
                let delay = RetryAfter.delay(response.headers, now: provider.client.time.date())
                error = error.with { $0.retryDelay = delay }
            }
        }
        return error.adding(request: request, response: response, sends: sends)
    }

    /// Records that the request has lost its last observer. Later observers receive `cancelled`, and a stream without a
    /// reader is closed. Returns the response to discard, if there is one.
    mutating func cancelWithoutObservers() -> HTTPResponse? {
        guard error is CancellationError || response?.stream != nil else { return nil }
        error = HTTPError(.cancelled, request: request)
        return response
    }

    package func response<Value>(_ serializer: ResponseSerializer<Value>) -> Response<Value> {
        Response(request: request, response: response, result: Result { try value(serializer) })
    }
}

/// An observer of a request's outcome.
enum OutcomeObserver: Sendable {
    /// An await. It receives the outcome at once, and waits for the progress handlers by itself, so that cancelling its
    /// task ends the wait.
    case awaiting(OneShot<RequestOutcome>)
    /// A future. It is called in a task, and does not wait for progress handlers.
    case future(@Sendable (RequestOutcome) async -> Void)
    /// A handler on a queue, called after the last progress report on that queue. It calls its second argument after it
    /// has returned.
    case handler(HandlerQueueID, @Sendable (RequestOutcome, @escaping @Sendable () -> Void) async -> Void)
}

extension HTTPError {
    /// The error of a request in dry mode that has no stub. It names dry mode as the reason for the empty response.
    fileprivate var ofMissingStub: HTTPError {
        guard kind == .emptyResponse || kind == .decoding else { return self }
        let reason = "the client is in dry mode, and the request has no stub"
        return with {
            $0.reason = $0.reason.map { "\(reason) (\($0))" } ?? reason
            $0.suggestion = "Add a stub to the endpoint. For a plain route or invoke, use a StubTransport"
        }
    }
}

extension HTTPError {
    /// Returns the error with a suggestion that names settings of routes, providers and clients.
    func withSuggestion(for options: RequestOptions) -> HTTPError {
        guard suggestion == nil, let text = timeoutSuggestion(options) ?? kind.routeSuggestion else { return self }
        return with { $0.suggestion = text }
    }

    private func timeoutSuggestion(_ options: RequestOptions) -> String? {
        guard fields.timeLimit == .request else { return nil }
        if options.timeout != nil { return "Raise the route's timeout, or try again later" }
        return "Raise the timeout of the client's configuration, set one on the route, or try again later"
    }
}

extension HTTPError.Kind {
    fileprivate var routeSuggestion: String? {
        switch self {
        case .bodyTooLarge: "Raise the memoryLimit of the route or of the client's configuration, or download to a file"
        case .insecureRedirect: "If that is intended, give the route or the client .follow(allowsDowngrade: true)"
        case .foreignSecrets: "Make that origin the provider's baseURL, or send the request to it by Route(url:)"
        case .insecureCredentials: "Use https; if http is intended, give the provider's authentication allowsHTTP: true"
        case .shutDown: "Make a new client, or shut it down later"
        case .emptyResponse: "If the server may send no body, use void() or an optional type"
        default: nil
        }
    }
}

/// Carries a value from the task that makes it to the task that waits.
///
/// `@unchecked Sendable` is sound: one task makes the value, the other takes it once, and nothing else refers to it.
private struct SendableBox<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value
}

extension RequestOutcome {
    /// The minimum size of a large body, in bytes. Decoding it takes some milliseconds.
    private static var largeBody: Int { 64 << 10 }

    /// Converts the response of a successful request. `isQuick` says whether the time does not depend on the length of
    /// the body. Defaults to `false`. Throws the error of the request or of `convert`, `CancellationError`, or
    /// ``HTTPError`` of kind `cancelled`.
    package nonisolated(nonsending) func decode<Value>(
        isQuick: Bool = false, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let response = try get()
        guard !isQuick, response.data.count >= Self.largeBody else {
            do { return try convert(response, codec) } catch HTTPError.cancelled where Task.isCancelled {
                throw CancellationError()  // as at any other time of the request
            }
        }
        return try await decodeDetached(response, convert)
    }

    /// Converts a large body in a task of its own, so that a cancellation ends the wait at once. Foundation's decoder
    /// cannot be interrupted: it finishes, and its result is dropped.
    ///
    /// The task runs outside of the concurrency pool: conversions that occupy all threads of the pool, and the release
    /// of what they have made, would delay the end of a wait.
    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func decodeDetached<Value>(
        _ response: HTTPResponse, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let waiter = CancellableWaiter<SendableBox<Value>>()
        let task = Lock<Task<Void, Never>?>(nil)
        let end = { @Sendable (error: any Error) in
            waiter.end(with: .failure(error))
            task.withLock { $0 }?.cancel()
        }
        // This is before the start of the task, because `convert` may cancel the request.
        let id = cancellation?.add { [request] in end(HTTPError(.cancelled, request: request)) }
        defer { if let id { cancellation?.remove(id) } }
        task.withLock { task in
            task = runOutsidePool { [codec] in
                waiter.end(with: Result { SendableBox(value: try convert(response, codec)) })
            }
        }
        return try await waiter.value { end(CancellationError()) }.value
    }

    /// Converts the response with a serializer. Cancelling the task, or the request, ends the wait at once.
    package nonisolated(nonsending) func decode<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        _ = try get()
        do {
            return try await decode(isQuick: serializer.isQuick) { try serializer.value($0, $1) }
        } catch { throw logged(error) }
    }

    package nonisolated(nonsending) func response<Value>(
        decoding serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await decode(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
