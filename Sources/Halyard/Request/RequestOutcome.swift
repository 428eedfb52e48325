import HalyardFoundation
package import HalyardHTTP

/// The outcome of a request, from which every observer makes its own value.
package struct RequestOutcome: Sendable {
    package var request: HTTPRequest?
    package var response: HTTPResponse?
    package var error: (any Error)?
    /// The provider; nil for a request that was never started.
    private var provider: ProviderSnapshot?
    /// the number of times that the request was sent.
    private var sends = 0
    /// The request, for an observer that makes a value while the request can be cancelled. `nil` inside
    /// ``RequestCore``, where it would be a reference cycle, and when there is no other reference to the request.
    private(set) var core: RequestCore?
    /// Whether `validate` accepted the response.
    private var isAccepted = false

    init(of provider: ProviderSnapshot? = nil) { self.provider = provider }

    init(error: any Error) { self.error = error }

    /// How values are read from the response.
    package var codec: Codec { provider?.codec ?? .standard }

    /// Whether the provider's `shouldContinue` returned false, so that handlers are not called.
    package var isStopped: Bool { error.map { $0 == HTTPError.stopped } ?? false }

    /// Whether the request was cancelled, by `cancel()` or with its task.
    var isCancelled: Bool { error.map { $0 is CancellationError || $0 == HTTPError.cancelled } ?? false }

    /// Returns the response of a successful request.
    ///
    /// - Throws: The error of a request that failed.
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
    func logged(_ error: any Error) -> any Error {
        let error = (error as? HTTPError).map(annotated) ?? error
        provider?.log?.failed(request, response, error)
        return error
    }

    /// Returns the outcome for an observer that makes a value while the request can be cancelled.
    func attached(to core: RequestCore) -> RequestOutcome {
        var outcome = self
        outcome.core = core
        return outcome
    }

    /// Returns an error with the request, the response and a suggestion that fits the provider.
    package func annotated(_ error: HTTPError) -> HTTPError {
        var error = error
        if let provider {
            if !provider.hasStub && response != nil && provider.client.isDry { error = error.ofMissingStub }
            error = error.withSuggestion(for: provider.options)
        }
        return error.adding(request: request, response: response, sends: sends)
    }

    /// Records that the request has lost its last observer. Later observers receive `cancelled`, and a stream without a
    /// reader is closed.
    ///
    /// - Returns: The response to discard, if there is one.
    mutating func cancelWithoutObservers() -> HTTPResponse? {
        guard error is CancellationError || response?.stream != nil else { return nil }
        error = HTTPError(.cancelled, request: request)
        return response
    }

    package func response<Value>(_ serializer: ResponseSerializer<Value>) -> Response<Value> {
        Response(request: request, response: response, result: Result { try value(serializer) })
    }
}

extension RequestOutcome {
    /// Builds a request, sends it and validates the response.
    ///
    /// - Parameters:
    ///   - destination: Where the body goes. Nil for memory, with the route's limit.
    ///   - progress: Receives progress reports. Nil when there is no progress handler.
    /// - Returns: The outcome, without a value.
    nonisolated(nonsending) static func run(
        _ route: Route, of provider: ProviderSnapshot, to destination: BodyDestination?,
        progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) async -> RequestOutcome {
        var outcome = RequestOutcome(of: provider)
        do {
            let built = try RequestBuilder.build(route, of: provider)
            var request = built.request
            destination?.apply(to: &request)
            outcome.request = request
            var transfer = TransferContext()
            transfer.progress = progress
            let context = provider.client.context(
                log: provider.log, options: provider.options, providerOrigin: built.providerOrigin,
                authentication: provider.authentication,
                transfer: transfer)
            outcome.sends = 1
            var response = try await provider.client.perform(request, context)
            if let mapper = provider.codec.mapper.reference { response.mapper = mapper }
            outcome.sends = response.sendCount
            outcome.response = response
            try await provider.validate(response)
            outcome.isAccepted = true
            if let file = response.downloadFile {
                try Task.checkCancellation()
                try file.commit()
            }
        } catch { await outcome.fail(with: error, route, of: provider) }
        return outcome
    }

    private nonisolated(nonsending) mutating func fail(
        with cause: any Error, _ route: Route, of provider: ProviderSnapshot
    ) async {
        let isCancelled = cause is CancellationError || cause == HTTPError.cancelled
        response?.discard()
        // A download that was accepted or cancelled can be resumed by the next request; one that was refused cannot.
        response?.downloadFile?.end(isRefused: !isAccepted && !isCancelled && !Task.isCancelled)
        let cause = (cause as? HTTPError).map(annotated) ?? cause
        error = cause
        provider.log?.failed(request, response, cause, of: route.endpointOptions?.declaration ?? "\(route)")
        // The provider's hook is not called for a cancellation.
        if isCancelled { return }
        if await !provider.provider.shouldContinue(with: cause) {
            error = HTTPError(.stopped, request: request, response: response, cause: cause, sendCount: sends)
        }
    }
}

extension ProviderSnapshot {
    /// Validates a response with the provider's hook. Throws an error of the API's own types, if one applies.
    fileprivate nonisolated(nonsending) func validate(_ response: HTTPResponse) async throws {
        do { try await provider.validate(response) } catch let error as HTTPError where !failures.isEmpty {
            guard case .status = error.kind.code else { throw error }
            throw failures.error(for: error, response, codec)
        }
    }
}

extension HTTPError {
    /// The error of a request in dry mode that has no stub. It says that no server is at fault.
    fileprivate var ofMissingStub: HTTPError {
        guard kind == .emptyResponse || kind == .decoding else { return self }
        var error = self
        let reason = "the client is in dry mode, and the request has no stub"
        error.reason = self.reason.map { "\(reason) (\($0))" } ?? reason
        error.suggestion =
            "Add a stub to the endpoint. For a plain route or invoke, use a StubTransport"
        return error
    }
}

/// Converts large bodies in a task of its own, so that a cancellation ends the wait at once. Foundation's decoder
/// cannot be interrupted: it finishes, and its result is dropped.
private enum DetachedDecoding {
    /// The minimum size of a large body, in bytes. Decoding it takes some milliseconds.
    static let minimumBytes = 64 << 10

    /// Carries a value from the task that makes it to the task that waits.
    ///
    /// `@unchecked Sendable` is sound: one task makes the value, the other takes it once, and nothing else refers to it.
    struct SendableBox<Value>: @unchecked Sendable {
        nonisolated(unsafe) let value: Value
    }
}

extension RequestOutcome {
    /// Converts the response of a successful request.
    ///
    /// - Parameters:
    ///   - isQuick: Whether the time does not depend on the length of the body. Defaults to `false`.
    ///   - convert: Converts the response.
    /// - Returns: The result of `convert`.
    /// - Throws: The error of the request or of `convert`, `CancellationError`, or ``HTTPError`` of kind `cancelled`.
    package nonisolated(nonsending) func decode<Value>(
        isQuick: Bool = false, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let response = try get()
        guard !isQuick, response.data.count >= DetachedDecoding.minimumBytes else {
            return try convert(response, codec)
        }
        let promise = OneShot<Result<DetachedDecoding.SendableBox<Value>, any Error>>()
        let task = Lock<Task<Void, Never>?>(nil)
        let end = { @Sendable (error: any Error) in
            promise.fulfill(.failure(error))
            task.withLock { $0 }?.cancel()
        }
        // This is before the start of the task, because `convert` may cancel the request.
        let id = core?.addCancellationHandler { [request] in end(HTTPError(.cancelled, request: request)) }
        defer { if let id { core?.removeCancellationHandler(id) } }
        task.withLock { task in
            task = Task { [codec] in
                promise.fulfill(Result { DetachedDecoding.SendableBox(value: try convert(response, codec)) })
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.take().get().value
        } onCancel: {
            end(CancellationError())
        }
    }

    /// Converts the response with a serializer. Cancelling the task, or the request, ends the wait at once.
    package nonisolated(nonsending) func decode<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        _ = try get()
        do {
            return try await decode(isQuick: serializer.isQuick) { try serializer.value($0, $1) }
        } catch { throw logged(error) }
    }

    /// Returns the response with the result of a serializer.
    package nonisolated(nonsending) func response<Value>(
        decoding serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await decode(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
