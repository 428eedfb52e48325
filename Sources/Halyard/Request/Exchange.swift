import HalyardHTTP

/// How a request ended: what every reader makes its answer of.
package struct Exchange: Sendable {
    package var request: HTTPRequest?
    package var response: HTTPResponse?
    package var error: (any Error)?
    /// Whose it is; nil where it was never begun.
    private var provider: ProviderSnapshot?
    /// How often it was handed to the engine.
    private var attempts = 0
    /// What cancelling the request reaches, for a reader. It is nil in a core's own state, and where nobody else has the
    /// request.
    private(set) var core: RequestCore?
    /// Whether `validate` was content.
    private var isAccepted = false

    init(of provider: ProviderSnapshot? = nil) { self.provider = provider }

    init(error: any Error) { self.error = error }

    /// How values of it are read: the route's way or the provider's.
    package var codec: Codec { provider?.codec ?? .standard }

    /// Whether the provider's `shouldContinue` wants callbacks to stay silent.
    package var isStopped: Bool { error.map { $0 == HTTPError.stopped } ?? false }

    /// Whether it was cancelled: by `cancel()` or with its task.
    var isCancelled: Bool { error.map { $0 is CancellationError || $0 == HTTPError.cancelled } ?? false }

    /// The response of a success.
    package func get() throws -> HTTPResponse {
        if let error { throw error }
        guard let response else { throw HTTPError(.cancelled, request: request) }
        return response
    }

    /// The value that a serializer makes of a success.
    package func value<Value>(_ serializer: ResponseSerializer<Value>) throws -> Value {
        let response = try get()
        do { return try serializer.value(response, codec) } catch { throw failed(error) }
    }

    /// An error of a serializer with all that is known of the exchange; it is logged.
    func failed(_ error: any Error) -> any Error {
        let error = (error as? HTTPError).map(completing) ?? error
        provider?.log?.failed(request, response, error)
        return error
    }

    /// The same, for a reader of a request that can be cancelled while it is read.
    func read(of core: RequestCore) -> Exchange {
        var exchange = self
        exchange.core = core
        return exchange
    }

    /// An error with all that is known of the exchange.
    package func completing(_ error: HTTPError) -> HTTPError {
        (response?.source == .dryRun ? error.unstubbed : error).withRouteSuggestion
            .of(request, response, attempts: attempts)
    }

    /// Takes in that nobody wanted it any more: that is no cancellation of who comes later, and a stream that nobody will
    /// read must not stay open for as long as somebody holds the request.
    ///
    /// - Returns: the response to be discarded, if there is one.
    mutating func callOff() -> HTTPResponse? {
        guard error is CancellationError || response?.stream != nil else { return nil }
        error = HTTPError(.cancelled, request: request)
        return response
    }

    package func response<Value>(_ serializer: ResponseSerializer<Value>) -> Response<Value> {
        Response(request: request, response: response, result: Result { try value(serializer) })
    }
}

extension Exchange {
    /// Builds, sends and validates: the whole of a request but its readers.
    ///
    /// - Parameters:
    ///   - destination: where the body goes; memory, with the route's limit, unless given.
    ///   - progress: where to report it, if anybody watches.
    nonisolated(nonsending) static func run(
        _ route: Route, of provider: ProviderSnapshot, to destination: HTTPRequest.Destination?,
        progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) async -> Exchange {
        var exchange = Exchange(of: provider)
        let start = ContinuousClock.now
        do {
            var request = try RequestBuilder.request(for: route, of: provider)
            if let destination { request.destination = destination }
            exchange.request = request
            var context = TransferContext()
            context.progress = progress
            if let answer = route.extras?.answer { context.answer = { try await answer($0, provider.codec) } }
            // `basePath` is there where the request is of the provider's own origin.
            let home = request.basePath == nil ? nil : request.origin
            let plan = provider.client.context(
                log: provider.log, options: route.options, home: home, authentication: provider.authentication,
                transfer: context)
            exchange.attempts = 1
            var response = try await provider.client.perform(request, plan)
            if let mapper = provider.codec.mapper.reference { response.mapper = mapper }
            exchange.attempts = response.attempts
            exchange.response = response
            try await provider.provider.validate(response)
            exchange.isAccepted = true
            if let sink = response.sink {
                try Task.checkCancellation()
                try sink.commit()
            }
        } catch {
            let advice = TimeoutAdvice(
                route: route.options.timeout, client: provider.client.configuration, elapsed: start.duration(to: .now))
            await exchange.fail(with: advice.added(to: error), route, of: provider)
        }
        return exchange
    }

    private nonisolated(nonsending) mutating func fail(
        with cause: any Error, _ route: Route, of provider: ProviderSnapshot
    ) async {
        // What was accepted and only broke off is there for the next request; what was refused never is.
        let isCalledOff = Task.isCancelled || cause is CancellationError || cause == HTTPError.cancelled
        response?.discard()
        response?.sink?.end(isRefused: !isAccepted && !isCalledOff)
        let cause = (cause as? HTTPError).map(completing) ?? cause
        error = cause
        provider.log?.failed(request, response, cause, of: route.extras?.declaration ?? "\(route)")
        // Nobody is asked about what was called off.
        if cause is CancellationError || cause == HTTPError.cancelled { return }
        if await !provider.provider.shouldContinue(with: cause) {
            error = HTTPError(.stopped, request: request, response: response, cause: cause, attempts: attempts)
        }
    }
}

extension HTTPError {
    /// What is no fault of a server's, for there was none.
    fileprivate var unstubbed: HTTPError {
        guard kind == .emptyResponse || kind == .decoding else { return self }
        var error = self
        let reason = "this is dry mode, and the request has no stub: to answer it"
        error.reason = self.reason.map { "\(reason) (\($0))" } ?? reason
        error.suggestion =
            "Give its endpoint a stub:; a plain route and invoke have none, and are answered by a StubTransport"
        return error
    }
}
