import HalyardHTTP

/// The shared part of all copies of a ``Request``: its state, its observers and the task that runs it.
final class RequestCore: Sendable {
    struct Shared: Sendable {
        var state = RequestState<RequestOutcome, OutcomeObserver>()
        var task: Task<Void, Never>?
        /// Whether the request is cancelled or has lost its last observer, possibly before ``task`` is set.
        var isCancelled = false
        var progressHandlers: [ProgressHandler] = []
        /// Handlers of the end, whatever it is. They never start the request.
        var endHandlers: [OutcomeObserver] = []
        var latest = LatestProgress()
        var queues = HandlerQueues()
        /// Called when the request is cancelled, also after its end.
        var cancellationHandlers: [UInt64: @Sendable () -> Void] = [:]
        var lastCancellationHandlerID: UInt64 = 0
    }

    let provider: any HTTPProvider
    let route: Route
    let shared = Lock(Shared())

    init(_ route: Route, of provider: any HTTPProvider) {
        self.route = route
        self.provider = provider
    }

    func start() {
        if case .start = shared.withLock({ $0.state.start() }) { runInTask(to: nil) }
    }

    /// Adds an observer, which receives the outcome once.
    ///
    /// - Parameter destination: Where the body goes, if this observer starts the request.
    /// - Returns: The number to pass to ``removeObserver(_:)``.
    @discardableResult
    func addObserver(_ observer: OutcomeObserver, to destination: BodyDestination? = nil) -> UInt64 {
        let (id, action) = shared.withLock { $0.state.add(observer) }
        switch action {
        case .start: runInTask(to: destination)
        case .notify(let outcome): notify([observer], outcome)
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
        if isDone { notify([handler], RequestOutcome()) }
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
        if let observer { notify([observer], RequestOutcome(error: CancellationError())) }
    }

    /// Ends the request for all observers. A request that has not started is never sent. A stream that is being read
    /// ends, and an observer that waits for the decoding of the response receives the error at once.
    func cancel() {
        let (observers, task, stream, cancellationHandlers) = shared.withLock { shared in
            shared.isCancelled = true
            let outcome = shared.state.outcome
            let observers = shared.state.complete(RequestOutcome(error: HTTPError.cancelled))
            defer { shared.cancellationHandlers = [:] }
            let stream = outcome?.response?.stream.map { ($0, outcome?.request) }
            return (observers, shared.task, stream, shared.cancellationHandlers.values)
        }
        for handler in cancellationHandlers { handler() }
        task?.cancel()
        if let (stream, request) = stream { stream.cancel(throwing: HTTPError(.cancelled, request: request)) }
        if let observers { notifyEnd(observers, RequestOutcome(error: HTTPError.cancelled)) }
    }

    /// Runs the request in the caller's task. The caller has the only reference: nobody else can read or cancel it.
    ///
    /// - Returns: `nil` when the request has started already.
    nonisolated(nonsending) func runInCallersTask(to destination: BodyDestination?) async -> RequestOutcome? {
        let (action, hasProgressHandlers, hasEndHandlers) = shared.withLock { shared in
            (
                shared.state.isCold ? shared.state.start() : .wait, !shared.progressHandlers.isEmpty,
                !shared.endHandlers.isEmpty
            )
        }
        guard case .start = action else { return nil }
        let outcome = await run(snapshot, to: destination, hasProgressHandlers: hasProgressHandlers)
        if !hasProgressHandlers && !hasEndHandlers { return outcome }
        let observers = shared.withLock { $0.state.complete(outcome) }
        if let observers { notifyEnd(observers, outcome) }
        if hasProgressHandlers { await waitForProgress(after: outcome) }
        return outcome
    }
}

// Running the request.
extension RequestCore {
    private func runInTask(to destination: BodyDestination?) {
        let snapshot = snapshot
        let task = Task {
            var outcome = await run(snapshot, to: destination, hasProgressHandlers: true)
            // Completion and removal of the last observer use the same lock. If the observer was removed first,
            // `isCancelled` is set here, although the task may not be cancelled yet. If it is removed later, the
            // request is already done.
            let (observers, isCancelled, discarded) = shared.withLock { shared in
                shared.task = nil
                let isCancelled = shared.isCancelled || outcome.error is CancellationError
                let discarded = isCancelled ? outcome.cancelWithoutObservers() : nil
                return (shared.state.complete(outcome), isCancelled, discarded)
            }
            discarded?.discard()
            if let observers { await notifyEndInTask(observers, outcome, isCancelled: isCancelled) }
        }
        let isCancelled = shared.withLock { shared in
            // After the end the task runs handlers, and must not be cancelled.
            if shared.state.isDone { return false }
            shared.task = task
            return shared.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private var snapshot: ProviderSnapshot { ProviderSnapshot(provider, for: route) }

    private nonisolated(nonsending) func run(
        _ provider: ProviderSnapshot, to destination: BodyDestination?, hasProgressHandlers: Bool
    ) async -> RequestOutcome {
        guard hasProgressHandlers else {
            return await RequestRunner.run(route, of: provider, to: destination, progress: nil)
        }
        return await RequestRunner.run(route, of: provider, to: destination) { self.report($0, $1) }
    }
}

// Work that follows the response, such as decoding.
extension RequestCore {
    /// Adds a handler for `cancel()`, which may be called after the response has arrived.
    ///
    /// - Parameter handler: Called once, if the request is cancelled from now on.
    /// - Returns: The number to pass to ``removeCancellationHandler(_:)``.
    func addCancellationHandler(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        shared.withLock { shared in
            shared.lastCancellationHandlerID += 1
            shared.cancellationHandlers[shared.lastCancellationHandlerID] = handler
            return shared.lastCancellationHandlerID
        }
    }

    func removeCancellationHandler(_ id: UInt64) {
        let handler = shared.withLock { $0.cancellationHandlers.removeValue(forKey: id) }
        _ = handler  // released here, outside of the lock
    }

    /// Whether the request was cancelled, possibly after its end.
    var isCancelled: Bool { shared.withLock { $0.isCancelled } }
}
