import HalyardHTTP

/// What the copies of a ``Request`` share: its state, who watches it, and the task that runs it.
final class RequestCore: Sendable {
    private struct Shared: Sendable {
        var state = RequestState<Exchange, OutcomeReader>()
        var task: Task<Void, Never>?
        /// Nobody wants it any more, perhaps before the task was known.
        var isCalledOff = false
        var watchers: [ProgressReader] = []
        /// Who is told of the end whatever it is, and never starts anything.
        var endReaders: [OutcomeReader] = []
        var latest: [TransferProgress.Direction: TransferProgress] = [:]
        var queues = HandlerQueues()
        /// How those are told of a cancellation who make values of its response.
        var readings: [UInt64: @Sendable () -> Void] = [:]
        var lastReading: UInt64 = 0
    }

    let provider: any HTTPProvider
    let route: Route
    private let shared = Lock(Shared())

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

    /// Starts it, unless somebody does so in the meantime who can say where the body goes, and who begins at the same
    /// time, as an `async let` does.
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

    /// Adds a reader, which is told the outcome once. Returns how it can leave.
    ///
    /// - Parameter destination: where it wants the body; only who starts the request can say.
    @discardableResult
    func read(_ reader: OutcomeReader, to destination: HTTPRequest.Destination? = nil) -> UInt64 {
        let (id, action) = shared.withLock { $0.state.add(reader) }
        switch action {
        case .start: runInTask(to: destination)
        case .tell(let exchange): tell([reader], exchange)
        case .wait: break
        }
        return id
    }

    /// Adds a reader that is told of the end whatever it is, and starts nothing.
    func readEnd(_ reader: OutcomeReader) {
        let isDone = shared.withLock { shared in
            if !shared.state.isDone { shared.endReaders.append(reader) }
            return shared.state.isDone
        }
        if isDone { tell([reader], Exchange()) }
    }

    /// Lets a reader go that was not told yet: it is told now. When it was the last one the request is called off.
    func leave(_ id: UInt64) {
        let (reader, task) = shared.withLock { shared -> (OutcomeReader?, Task<Void, Never>?) in
            let (reader, isLast) = shared.state.remove(id)
            if isLast { shared.isCalledOff = true }
            return (reader, isLast ? shared.task : nil)
        }
        task?.cancel()
        if let reader { tell([reader], Exchange(error: CancellationError())) }
    }

    /// Ends it for everybody; one that was not started is never sent. A stream that is read ends as well, and so does the
    /// wait for a value that is being made of the response.
    func cancel() {
        let (readers, task, stream, readings) = shared.withLock { shared in
            shared.isCalledOff = true
            let exchange = shared.state.outcome
            let readers = shared.state.complete(Exchange(error: HTTPError.cancelled))
            defer { shared.readings = [:] }
            let stream = exchange?.response?.stream.map { ($0, exchange?.request) }
            return (readers, shared.task, stream, shared.readings.values)
        }
        for end in readings { end() }
        task?.cancel()
        if let (stream, request) = stream { stream.cancel(throwing: HTTPError(.cancelled, request: request)) }
        if let readers { end(readers, Exchange(error: HTTPError.cancelled)) }
    }

    /// Runs it in the task of the caller, who alone has it: nobody else can be told, or can want it to go on.
    nonisolated(nonsending) func runAlone(to destination: HTTPRequest.Destination?) async -> Exchange? {
        let (action, isWatched, isRead) = shared.withLock { shared in
            (
                shared.state.isCold ? shared.state.start() : .wait, !shared.watchers.isEmpty,
                !shared.endReaders.isEmpty
            )
        }
        guard case .start = action else { return nil }
        let exchange = await run(snapshot, to: destination, isWatched: isWatched)
        if !isWatched && !isRead { return exchange }  // nobody can come and ask for it
        let readers = shared.withLock { $0.state.complete(exchange) }
        if let readers { end(readers, exchange) }
        if isWatched { await endWatching(exchange) }
        return exchange
    }
}

// Running it, and telling.
extension RequestCore {
    private func runInTask(to destination: HTTPRequest.Destination?) {
        let snapshot = snapshot
        let task = Task {
            var exchange = await run(snapshot, to: destination, isWatched: true)
            // Under the lock: whoever has left is known here, and who leaves later finds that it is done. The task itself
            // may not be cancelled yet.
            let (readers, isUnwanted, unwanted) = shared.withLock { shared in
                shared.task = nil
                let isUnwanted = shared.isCalledOff || exchange.error is CancellationError
                let unwanted = isUnwanted ? exchange.callOff() : nil
                return (shared.state.complete(exchange), isUnwanted, unwanted)
            }
            unwanted?.discard()
            if let readers { await finish(readers, exchange, isCalledOff: isUnwanted) }
        }
        let isCalledOff = shared.withLock { shared in
            // Once it is done the task is its readers', and nobody cancels it.
            if shared.state.isDone { return false }
            shared.task = task
            return shared.isCalledOff
        }
        if isCalledOff { task.cancel() }
    }

    private var snapshot: ProviderSnapshot {
        ProviderSnapshot(provider, for: route.method, mapper: route.options.mapper)
    }

    private nonisolated(nonsending) func run(
        _ provider: ProviderSnapshot, to destination: HTTPRequest.Destination?, isWatched: Bool
    ) async -> Exchange {
        guard isWatched else { return await Exchange.run(route, of: provider, to: destination, progress: nil) }
        return await Exchange.run(route, of: provider, to: destination) { self.report($0, $1) }
    }

    /// Tells everybody of the end.
    private func end(_ readers: [OutcomeReader], _ exchange: Exchange) {
        for queue in prepareEnd(readers, exchange) { queue.start() }
    }

    /// Tells everybody of the end, in the task that ran the request, where that is possible: another task for it would
    /// cost more than all that the request took here.
    ///
    /// - Parameter isCalledOff: whether that task is cancelled, or is about to be. No handler finds itself in such a one.
    private nonisolated(nonsending) func finish(
        _ readers: [OutcomeReader], _ exchange: Exchange, isCalledOff: Bool
    ) async {
        var queues = prepareEnd(readers, exchange)
        let mine = isCalledOff || Task.isCancelled ? nil : queues.popLast()
        for queue in queues { queue.start() }
        await mine?.run()
    }

    private func prepareEnd(_ readers: [OutcomeReader], _ exchange: Exchange) -> [HandlerQueue] {
        let (endReaders, watchers) = shared.withLock { shared in
            defer { shared.endReaders = [] }
            return (shared.endReaders, shared.watchers)
        }
        let queues = prepare(readers + endReaders, exchange)
        for watcher in watchers { dismiss(watcher) }
        return queues
    }

    private func tell(_ readers: [OutcomeReader], _ exchange: Exchange) {
        for queue in prepare(readers, exchange) { queue.start() }
    }

    /// Tells awaits, and puts what handlers are told in the queues of their lanes, in order, each after the last progress
    /// was delivered there. Returns the queues that nobody runs.
    private func prepare(_ readers: [OutcomeReader], _ exchange: Exchange) -> [HandlerQueue] {
        let exchange = exchange.read(of: self)
        return readers.compactMap { reader in
            switch reader {
            case .awaiting(let answer):
                answer.fulfill(exchange)
                return nil
            case .calling(let lane, let tell):
                let job: HandlerQueue.Job = {
                    if let lane { await self.endWatching(in: lane) }
                    await tell(exchange)
                }
                return shared.withLock { $0.queues.put(job, in: lane) }
            }
        }
    }
}

// Values that are made of the response.
extension RequestCore {
    /// Notes how a reader is told of a cancellation that comes while it makes a value of the response.
    func beginReading(_ onCancel: @escaping @Sendable () -> Void) -> UInt64 {
        shared.withLock { shared in
            shared.lastReading += 1
            shared.readings[shared.lastReading] = onCancel
            return shared.lastReading
        }
    }

    func endReading(_ id: UInt64) {
        let onCancel = shared.withLock { $0.readings.removeValue(forKey: id) }
        _ = onCancel  // what it holds is let go here, unlocked
    }
}

// Progress.
extension RequestCore {
    func watch(_ watcher: ProgressReader) {
        let (latest, isDone) = shared.withLock { shared in
            shared.watchers.append(watcher)
            return (shared.latest[watcher.direction], shared.state.isDone)
        }
        if let latest { watcher.offer(latest) }
        if isDone { dismiss(watcher) }
    }

    /// Says that no more comes, and lets go of who watches: a handler may hold the request, which must not hold it then.
    private func dismiss(_ watcher: ProgressReader) {
        Task {
            await watcher.end()
            shared.withLock { $0.watchers.removeAll { $0 === watcher } }
        }
    }

    private func report(_ direction: TransferProgress.Direction, _ progress: TransferProgress) {
        let watchers = shared.withLock { shared in
            shared.latest[direction] = progress
            return shared.watchers
        }
        for watcher in watchers where watcher.direction == direction { watcher.offer(progress) }
    }

    /// Waits, for an await, until all who watch have been told the last of it; or until the task is cancelled. One that
    /// was cancelled waits for nobody.
    func endWatching(_ exchange: Exchange) async {
        if !exchange.isCancelled { await endWatching(in: nil) }
    }

    /// Waits until those who watch in a lane, or in all, have been told the last of a request that has ended; or until the
    /// task is cancelled.
    func endWatching(in lane: Lane?) async {
        let watchers = shared.withLock { $0.state.isDone ? $0.watchers : [] }
        for watcher in watchers where lane == nil || watcher.lane == lane { await watcher.drain() }
    }
}
