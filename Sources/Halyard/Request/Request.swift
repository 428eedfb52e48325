public import HalyardHTTP

/// A request to an API, including its redirects and retries. Create it with ``HTTPProvider/request(_:)-(Route)``. Its
/// first observer starts it, once.
///
/// An observer is a handler, a future, an await or a loop. A request can have several observers. All receive the same
/// outcome, including an observer that is added after the end. Progress handlers do not start the request. Copies of a
/// request refer to the same request.
///
/// ```swift
/// api.request(.picture(file))
///     .uploadProgress { bar.fraction = $0.fraction ?? 0 }
///     .responseJSON { response in title = response.value?["name"].string ?? "" }
///     .onEnd { spinner.stop() }
/// ```
public struct Request: Sendable {
    private(set) var core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// Starts the request without an observer. If it has already started, this does nothing.
    @discardableResult
    public func start() -> Request {
        core.start()
        return self
    }

    /// Cancels the request. Its observers, and the reader of its stream, receive ``HTTPError`` of kind `cancelled`,
    /// once. A request that has not started is never sent. If the request has ended, this does nothing. The provider's
    /// hooks are not called.
    public func cancel() { core.cancel() }

    func addObserver(_ observer: OutcomeObserver, to destination: BodyDestination? = nil) {
        core.addObserver(observer, to: destination)
    }

    /// Adds an observer that receives the outcome off the main actor, and does not wait for progress handlers. Returns
    /// the number to pass to ``removeObserver(_:)``.
    package func addObserver(_ observer: @escaping @Sendable (RequestOutcome) async -> Void) -> UInt64 {
        core.addObserver(.future(observer))
    }

    /// Removes an observer. The request is cancelled if it was the last one.
    package func removeObserver(_ id: UInt64) { core.removeObserver(id) }

    /// Adds a progress handler, which runs one after another with the handlers of a queue. Without a queue, only awaits
    /// wait for its last report.
    package func addProgressHandler(
        _ direction: TransferProgress.Direction, on queueID: HandlerQueueID? = nil,
        _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        core.addProgressHandler(ProgressHandler(direction, queueID, deliver))
    }

    /// Waits until the progress handlers of a queue, or of all queues, have received the last report. It returns at
    /// once if the request has not ended, or if the task is cancelled.
    package func waitForProgress(on queueID: HandlerQueueID?) async { await core.waitForProgress(on: queueID) }

    /// Returns the outcome. Cancelling the task ends the wait at once, and the transfer too if the request has no other
    /// observer.
    ///
    /// It consumes the request. If that was the only reference, as in `try await api.request(.me).data()`, the request
    /// can have no other observer. It then runs in the caller's task, without a task of its own. `destination` is the
    /// destination of the body, if this observer starts the request.
    package nonisolated(nonsending) consuming func outcome(to destination: BodyDestination? = nil) async
        -> RequestOutcome
    {
        if isKnownUniquelyReferenced(&core), let outcome = await core.runInCallersTask(to: destination) {
            return outcome
        }
        return await core.outcome(to: destination)
    }
}

extension Request: CustomStringConvertible {
    /// The method and path of the route.
    public var description: String { "Request(\(core.route))" }
}

extension RequestCore {
    fileprivate func outcome(to destination: BodyDestination?) async -> RequestOutcome {
        let promise = OneShot<RequestOutcome>()
        let id = addObserver(.awaiting(promise), to: destination)
        // If the task is cancelled already, the cancellation handler runs at once.
        return await withTaskCancellationHandler {
            let outcome = await promise.take()
            await waitForProgress(after: outcome)
            return outcome
        } onCancel: {
            removeObserver(id)
        }
    }
}

extension HTTPProvider {
    /// Creates a request. Its first observer or ``Request/start()`` starts it.
    public func request(_ route: Route) -> Request { Request(RequestCore(route, of: self)) }

    /// Builds the request for a route without sending it. The result has the method, URL, headers and body as the
    /// interceptors would receive them. Files are opened and measured.
    ///
    /// ```swift
    /// let request = try api.prepare(.search("halyard", since: nil))
    /// print(request.url)                     // https://api.example.com/v1/search?q=halyard&count=8
    /// ```
    ///
    /// - Throws: ``HTTPError`` for values that cannot be sent as they are, or an error of the route's body.
    public func prepare(_ route: Route) throws -> HTTPRequest { try RequestBuilder.request(for: route, of: self) }
}

extension DefaultProvider {
    /// Creates a request to an absolute http or https URL, with the shared client. Any other text fails the request
    /// with ``HTTPError`` of kind `invalidURL`. For the parameters, see
    /// ``Route/init(url:method:params:headers:encoding:body:multipart:)``.
    public static func request(
        _ url: String,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: [MultipartPart]? = nil
    ) -> Request {
        DefaultProvider().request(Route(.absolute(url), method, params, headers, encoding, body, multipart))
    }
}

/// The shared part of all copies of a ``Request``: its state, its observers and the task that runs it.
final class RequestCore: Sendable {
    struct Shared: Sendable {
        var state = OutcomeState<RequestOutcome, OutcomeObserver>()
        var task: Task<Void, Never>?
        /// Whether the request is cancelled or has lost its last observer, possibly before ``task`` is set.
        var isCancelled = false
        var progressHandlers: [ProgressHandler] = []
        /// Handlers of the end, whatever it is. They never start the request.
        var endHandlers: [OutcomeObserver] = []
        var latest = LatestProgress()
        var queues = HandlerQueues()
    }

    let provider: any HTTPProvider
    let route: Route
    let shared = Lock(Shared())
    let cancellation = Cancellation()

    init(_ route: Route, of provider: any HTTPProvider) {
        self.route = route
        self.provider = provider
    }

    func start() {
        if case .start = shared.withLock({ $0.state.start() }) { runInTask(to: nil) }
    }

    /// Adds an observer, which receives the outcome once. `destination` is where the body goes, if this observer starts
    /// the request. Returns the number to pass to ``removeObserver(_:)``.
    @discardableResult
    func addObserver(_ observer: OutcomeObserver, to destination: BodyDestination? = nil) -> UInt64 {
        let (id, action) = shared.withLock { shared in
            let id = shared.state.nextID()
            return (id, shared.state.add(observer, as: id))
        }
        switch action {
        case .start: runInTask(to: destination)
        case .notify(let outcome): notify(observer, outcome)
        case .wait: break
        }
        return id
    }

    /// Adds a handler of the end, whatever it is. It does not start the request.
    func addEndHandler(_ handler: OutcomeObserver) {
        let isDone = shared.withLock { shared in
            if !shared.state.isDone { shared.endHandlers.append(handler) }
            return shared.state.isDone
        }
        if isDone { notify(handler, RequestOutcome()) }
    }

    /// Removes an observer that has not received the outcome: it receives `CancellationError`. The request is cancelled
    /// when no observer is left.
    func removeObserver(_ id: UInt64) {
        let (observer, task) = shared.withLock { shared -> (OutcomeObserver?, Task<Void, Never>?) in
            let (observer, isLast) = shared.state.remove(id)
            if isLast { shared.isCancelled = true }
            return (observer, isLast ? shared.task : nil)
        }
        task?.cancel()
        if let observer { notify(observer, RequestOutcome(error: CancellationError())) }
    }

    /// Ends the request for all observers. A request that has not started is never sent. A stream that is being read
    /// ends, and an observer that waits for the decoding of the response receives the error at once.
    func cancel() {
        let (notification, task, stream) = shared.withLock { shared in
            let outcome = shared.state.outcome
            if outcome == nil { shared.isCancelled = true }
            let notification = shared.end(self, with: RequestOutcome(error: HTTPError.cancelled))
            let stream = outcome?.response?.stream.map { ($0, outcome?.request) }
            return (notification, shared.task, stream)
        }
        cancellation.cancel()
        task?.cancel()
        if let (stream, request) = stream { stream.cancel(throwing: HTTPError(.cancelled, request: request)) }
        if let notification { notify(notification) }
    }

    /// Runs the request in the caller's task. The caller has the only reference, so no other code can read or cancel
    /// it. `nil` when the request has started already.
    nonisolated(nonsending) func runInCallersTask(to destination: BodyDestination?) async -> RequestOutcome? {
        guard let handlers = startInCallersTask() else { return nil }
        let outcome = await run(snapshot, to: destination, hasProgressHandlers: handlers.ofProgress)
        if handlers.ofProgress || handlers.ofEnd { completeInCallersTask(outcome) }
        if handlers.ofProgress { await waitForProgress(after: outcome) }
        return outcome
    }

    /// Starts the request, and returns whether it has handlers. `nil` when it has started already.
    @inline(never)  // See `Pipeline`.
    private func startInCallersTask() -> (ofProgress: Bool, ofEnd: Bool)? {
        shared.withLock { shared in
            guard shared.state.isCold, case .start = shared.state.start() else { return nil }
            return (!shared.progressHandlers.isEmpty, !shared.endHandlers.isEmpty)
        }
    }

    /// Notifies the handlers of a request that has run in its caller's task.
    @inline(never)  // See `Pipeline`.
    private func completeInCallersTask(_ outcome: RequestOutcome) {
        let notification = shared.withLock { $0.end(self, with: outcome) }
        if let notification { notify(notification) }
    }
}

// Running the request.
extension RequestCore {
    private func runInTask(to destination: BodyDestination?) {
        let snapshot = snapshot
        let cancelled = shared.withLock { shared -> Task<Void, Never>? in
            // The provider may have cancelled the request.
            if shared.state.isDone { return nil }
            let task = Task {
                let delivery = complete(await run(snapshot, to: destination, hasProgressHandlers: true))
                await delivery?.perform()
            }
            shared.task = task
            return shared.isCancelled ? task : nil
        }
        cancelled?.cancel()
    }

    /// Completes a request that has run in a task of its own, and notifies its observers. Returns what is left for that
    /// task, which saves most requests a second one. `nil` if nothing is left, or if the task may be cancelled: no
    /// handler may find itself in a cancelled task.
    @inline(never)  // See `Pipeline`.
    private func complete(_ outcome: consuming RequestOutcome) -> Delivery? {
        // Completion and removal of the last observer use the same lock. If the observer was removed first,
        // `isCancelled` is set here, although the task may not be cancelled yet. If it is removed later, the request is
        // already done.
        let (notification, discarded, isCancelled) = shared.withLock { shared in
            shared.task = nil
            let isCancelled = shared.isCancelled || outcome.error is CancellationError
            let discarded = isCancelled ? outcome.cancelWithoutObservers() : nil
            return (shared.end(self, with: outcome), discarded, isCancelled)
        }
        discarded?.discard()
        guard let notification else { return nil }
        let delivery = deliver(notification)
        // A hook of the provider may have cancelled the task.
        guard isCancelled || Task.isCancelled else { return delivery }
        startTask(for: delivery)
        return nil
    }

    private var snapshot: ProviderSnapshot {
        @inline(never)  // See `Pipeline`.
        get { ProviderSnapshot(provider, for: route) }
    }

    private nonisolated(nonsending) func run(
        _ provider: ProviderSnapshot, to destination: BodyDestination?, hasProgressHandlers: Bool
    ) async -> RequestOutcome {
        var outcome = await provider.run(route, to: destination, progress: hasProgressHandlers ? report : nil)
        outcome.cancellation = cancellation
        return outcome
    }
}
