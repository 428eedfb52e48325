import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    /// What is left to do in a task when observers are notified: to call futures, one after another, or the first
    /// handler of a queue, which calls the others.
    ///
    /// It is a closure because it is a part of the frame of a request's task.
    struct Delivery: Sendable {
        let perform: @Sendable () async -> Void
    }

    /// Notifies all observers and handlers of the end, and ends the progress handlers.
    func notifyEnd(_ observers: FIFO<Observer>, _ outcome: RequestOutcome) {
        startTask(for: deliverEnd(to: observers, outcome))
    }

    /// Notifies an observer of an outcome that is known.
    func notify(_ observer: OutcomeObserver, _ outcome: RequestOutcome) {
        startTask(for: deliver(outcome, to: CollectionOfOne(observer)))
    }

    /// Performs a delivery in a task of its own.
    func startTask(for delivery: Delivery?) {
        if let delivery { Task { await delivery.perform() } }
    }

    /// Notifies all observers and handlers of the end, and ends the progress handlers. Returns the first delivery, which
    /// is left to the caller.
    func deliverEnd(to entries: FIFO<Observer>, _ outcome: RequestOutcome) -> Delivery? {
        let (endHandlers, progressHandlers) = shared.withLock { shared in
            defer { shared.endHandlers = [] }
            return (shared.endHandlers, shared.progressHandlers)
        }
        for handler in progressHandlers { removeProgressHandler(handler) }
        var observers = FIFO<OutcomeObserver>()
        for (_, observer) in entries { observers.append(observer) }
        for handler in endHandlers { observers.append(handler) }
        return deliver(outcome, to: observers)
    }

    /// Notifies observers in their order. Returns the first delivery, which is left to the caller.
    private func deliver(_ outcome: RequestOutcome, to observers: some Sequence<OutcomeObserver>) -> Delivery? {
        var (deliveries, futures) = (FIFO<Delivery>(), FIFO<OutcomeObserver>())
        for observer in observers {
            switch observer {
            case .awaiting: break
            case .future: futures.append(observer)
            case .handler(let id, let call):
                let handler: HandlerQueues.Handler = { next in
                    // It is called after the last progress report of its queue.
                    await self.waitForProgress(on: id)
                    await call(outcome, next)
                }
                guard shared.withLock({ $0.queues.add(handler, to: id) }) else { break }
                deliveries.append(
                    Delivery {
                        await HandlerQueues.run(handler) { self.shared.withLock { $0.queues.next(of: id) } }
                    })
            }
        }
        if !futures.isEmpty {
            deliveries.append(
                Delivery { [futures] in
                    for case .future(let call) in futures { await call(outcome) }
                })
        }
        // Only now are all handlers in their queues. What continues from here may add others.
        for case .awaiting(let promise) in observers { promise.fulfill(outcome) }
        let first = deliveries.removeFirst()
        for delivery in deliveries { startTask(for: delivery) }
        return first
    }
}

// Progress reports.
extension RequestCore {
    /// Adds a progress handler, which receives the last report at once.
    func addProgressHandler(_ handler: ProgressHandler) {
        let (latest, isDone) = shared.withLock { shared in
            shared.progressHandlers.append(handler)
            return (shared.latest[handler.direction], shared.state.isDone)
        }
        if let latest { handler.offer(latest) }
        if isDone { removeProgressHandler(handler) }
    }

    /// Ends a progress handler after its last report, and releases it: a handler may refer to the request.
    func removeProgressHandler(_ handler: ProgressHandler) {
        Task {
            await handler.drain()
            shared.withLock { $0.progressHandlers.removeAll { $0 === handler } }
        }
    }

    func report(_ direction: TransferProgress.Direction, _ progress: TransferProgress) {
        let progressHandlers = shared.withLock { shared in
            shared.latest[direction] = progress
            return shared.progressHandlers
        }
        for handler in progressHandlers where handler.direction == direction { handler.offer(progress) }
    }

    /// Waits until all progress handlers have received the last report, or until the task is cancelled. A cancelled
    /// request does not wait.
    func waitForProgress(after outcome: RequestOutcome) async {
        if !outcome.isCancelled { await waitForProgress(on: nil) }
    }

    /// Waits until the progress handlers of a queue, or of all queues, have received the last report of a request that
    /// has ended, or until the task is cancelled.
    func waitForProgress(on queueID: HandlerQueueID?) async {
        let progressHandlers = shared.withLock { $0.state.isDone ? $0.progressHandlers : [] }
        for handler in progressHandlers where queueID == nil || handler.queueID == queueID { await handler.drain() }
    }
}
