import HalyardHTTP

/// The shared part of all copies of a ``Request``: its state, its readers and the task that runs it.
final class RequestCore: Sendable {
    struct Shared: Sendable {
        var state = RequestState<Exchange, OutcomeReader>()
        var task: Task<Void, Never>?
        /// Whether the request is cancelled or has lost its last reader, possibly before ``task`` is set.
        var isCancelled = false
        var watchers: [ProgressReader] = []
        /// Readers of the end, whatever it is. They never start the request.
        var endReaders: [OutcomeReader] = []
        var latest: [TransferProgress.Direction: TransferProgress] = [:]
        var queues = HandlerQueues()
        /// What to call when the request is cancelled while a value is made of its response.
        var readings: [UInt64: @Sendable () -> Void] = [:]
        var lastReading: UInt64 = 0
    }

    let provider: any HTTPProvider
    let route: Route
    let shared = Lock(Shared())

    init(_ route: Route, of provider: any HTTPProvider) {
        self.route = route
        self.provider = provider
    }

    #if DEBUG
        deinit {
            guard shared.withLock({ $0.state.isCold }) else { return }
            StandardError.write(
                "Halyard: \(route) was never requested; give its request a reader, or call start().\n")
        }
    #endif

    /// Starts the request after 50 milliseconds, unless a reader that chooses the destination of the body starts it first.
    func startSoon() {
        guard shared.withLock({ $0.state.isCold }) else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(50))
            let action = shared.withLock { $0.state.isCold ? $0.state.start() : .wait }
            if case .start = action { runInTask(to: nil) }
        }
    }

    func start() {
        if case .start = shared.withLock({ $0.state.start() }) { runInTask(to: nil) }
    }

    /// Adds a reader, which receives the outcome once.
    ///
    /// - Parameter destination: Where the body goes, if this reader starts the request.
    /// - Returns: The number to pass to ``leave(_:)``.
    @discardableResult
    func read(_ reader: OutcomeReader, to destination: HTTPRequest.Destination? = nil) -> UInt64 {
        let (id, action) = shared.withLock { $0.state.add(reader) }
        switch action {
        case .start: runInTask(to: destination)
        case .notify(let exchange): notify([reader], exchange)
        case .wait: break
        }
        return id
    }

    /// Adds a reader of the end, whatever it is. It does not start the request.
    func readEnd(_ reader: OutcomeReader) {
        let isDone = shared.withLock { shared in
            if !shared.state.isDone { shared.endReaders.append(reader) }
            return shared.state.isDone
        }
        if isDone { notify([reader], Exchange()) }
    }

    /// Removes a reader that has not received the outcome: it receives `CancellationError`. The request is cancelled when
    /// no reader is left.
    func leave(_ id: UInt64) {
        let (reader, task) = shared.withLock { shared -> (OutcomeReader?, Task<Void, Never>?) in
            let (reader, isLast) = shared.state.remove(id)
            if isLast { shared.isCancelled = true }
            return (reader, isLast ? shared.task : nil)
        }
        task?.cancel()
        if let reader { notify([reader], Exchange(error: CancellationError())) }
    }

    /// Ends the request for all readers. A request that has not started is never sent. A stream that is being read ends, and
    /// so does the wait for a value that is being made of the response.
    func cancel() {
        let (readers, task, stream, readings) = shared.withLock { shared in
            shared.isCancelled = true
            let exchange = shared.state.outcome
            let readers = shared.state.complete(Exchange(error: HTTPError.cancelled))
            defer { shared.readings = [:] }
            let stream = exchange?.response?.stream.map { ($0, exchange?.request) }
            return (readers, shared.task, stream, shared.readings.values)
        }
        for end in readings { end() }
        task?.cancel()
        if let (stream, request) = stream { stream.cancel(throwing: HTTPError(.cancelled, request: request)) }
        if let readers { notifyEnd(readers, Exchange(error: HTTPError.cancelled)) }
    }

    /// Runs the request in the caller's task. The caller has the only reference: nobody else can read or cancel it.
    ///
    /// - Returns: Nil when the request has started already.
    nonisolated(nonsending) func runAlone(to destination: HTTPRequest.Destination?) async -> Exchange? {
        let (action, isWatched, isRead) = shared.withLock { shared in
            (
                shared.state.isCold ? shared.state.start() : .wait, !shared.watchers.isEmpty,
                !shared.endReaders.isEmpty
            )
        }
        guard case .start = action else { return nil }
        let exchange = await run(snapshot, to: destination, isWatched: isWatched)
        if !isWatched && !isRead { return exchange }
        let readers = shared.withLock { $0.state.complete(exchange) }
        if let readers { notifyEnd(readers, exchange) }
        if isWatched { await waitForProgress(after: exchange) }
        return exchange
    }
}

// Running the request.
extension RequestCore {
    private func runInTask(to destination: HTTPRequest.Destination?) {
        let snapshot = snapshot
        let task = Task {
            var exchange = await run(snapshot, to: destination, isWatched: true)
            // Under the lock: a reader that has left is known here, and a reader that leaves later finds the request done.
            // The task itself may not be cancelled yet.
            let (readers, isCancelled, unread) = shared.withLock { shared in
                shared.task = nil
                let isCancelled = shared.isCancelled || exchange.error is CancellationError
                let unread = isCancelled ? exchange.cancelUnread() : nil
                return (shared.state.complete(exchange), isCancelled, unread)
            }
            unread?.discard()
            if let readers { await notifyEndInTask(readers, exchange, isCancelled: isCancelled) }
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
        _ provider: ProviderSnapshot, to destination: HTTPRequest.Destination?, isWatched: Bool
    ) async -> Exchange {
        guard isWatched else { return await Exchange.run(route, of: provider, to: destination, progress: nil) }
        return await Exchange.run(route, of: provider, to: destination) { self.report($0, $1) }
    }
}

// Values that are made of the response.
extension RequestCore {
    /// Registers a reader that makes a value of the response.
    ///
    /// - Parameter onCancel: Called when the request is cancelled meanwhile.
    /// - Returns: The number to pass to ``endReading(_:)``.
    func beginReading(_ onCancel: @escaping @Sendable () -> Void) -> UInt64 {
        shared.withLock { shared in
            shared.lastReading += 1
            shared.readings[shared.lastReading] = onCancel
            return shared.lastReading
        }
    }

    func endReading(_ id: UInt64) {
        let onCancel = shared.withLock { $0.readings.removeValue(forKey: id) }
        _ = onCancel  // released here, outside of the lock
    }
}
