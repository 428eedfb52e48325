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
        let (observers, task, stream) = shared.withLock { shared in
            shared.isCancelled = true
            let outcome = shared.state.outcome
            let observers = shared.state.complete(RequestOutcome(error: HTTPError.cancelled))
            let stream = outcome?.response?.stream.map { ($0, outcome?.request) }
            return (observers, shared.task, stream)
        }
        cancellation.cancel()
        task?.cancel()
        if let (stream, request) = stream { stream.cancel(throwing: HTTPError(.cancelled, request: request)) }
        if let observers { notifyEnd(observers, RequestOutcome(error: HTTPError.cancelled)) }
    }

    /// Runs the request in the caller's task. The caller has the only reference: nobody else can read or cancel it.
    /// `nil` when the request has started already.
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
        var outcome =
            if hasProgressHandlers {
                await provider.run(route, to: destination) { self.report($0, $1) }
            } else {
                await provider.run(route, to: destination)
            }
        outcome.cancellation = cancellation
        return outcome
    }
}

/// The state of a request: not started, running or done. It has no side effects: each change returns what the caller
/// must do.
struct RequestState<Outcome: Sendable, Observer: Sendable>: Sendable {
    private enum Phase: Sendable { case cold, running, done(Outcome) }

    enum Action: Sendable {
        /// The caller must start the request.
        case start
        /// The outcome is known: the caller must notify the observer.
        case notify(Outcome)
        /// The observer is notified when the outcome is known.
        case wait
    }

    private var phase = Phase.cold
    private var observers: [(id: UInt64, observer: Observer)] = []
    private var lastID: UInt64 = 0
    /// Whether the request was started without an observer: it then continues when its last observer leaves.
    private var runsWithoutObservers = false

    var isCold: Bool { if case .cold = phase { true } else { false } }
    var isDone: Bool { outcome != nil }
    var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts a cold request, which then runs with or without observers.
    mutating func start() -> Action {
        runsWithoutObservers = true
        return begin()
    }

    /// Adds an observer. The first one starts the request.
    mutating func add(_ observer: Observer) -> (id: UInt64, action: Action) {
        let action = begin()
        lastID += 1
        if case .notify = action { return (lastID, action) }
        observers.append((lastID, observer))
        return (lastID, action)
    }

    /// Removes an observer that no longer waits. Returns the observer, unless it was notified; and whether it was the
    /// last one, so that the request must be cancelled.
    mutating func remove(_ id: UInt64) -> (observer: Observer?, isLast: Bool) {
        guard let place = observers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let observer = observers.remove(at: place).observer
        return (observer, observers.isEmpty && !runsWithoutObservers)
    }

    /// Ends the request, also one that has not started. Returns the observers to notify, in the order in which they
    /// were added. `nil` when the request had ended already.
    mutating func complete(_ outcome: Outcome) -> [Observer]? {
        if case .done = phase { return nil }
        phase = .done(outcome)
        defer { observers = [] }
        return observers.map { $0.observer }  // A key path would cost a microsecond.
    }

    private mutating func begin() -> Action {
        switch phase {
        case .cold:
            phase = .running
            return .start
        case .running: return .wait
        case .done(let outcome): return .notify(outcome)
        }
    }
}
