import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    /// Notifies all observers and handlers of the end, and ends the progress handlers.
    func notifyEnd(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        startTasks(for: deliveriesOfEnd(to: observers, outcome))
    }

    /// Notifies observers of an outcome that is known, in their order.
    func notify(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        startTasks(for: deliveries(to: observers, outcome))
    }

    /// What is left to do in a task when observers are notified.
    enum Delivery: Sendable {
        /// Calls futures, one after another.
        case futures([@Sendable (RequestOutcome) async -> Void], RequestOutcome)
        /// Runs a queue of handlers, which no task runs yet.
        case queue(HandlerQueueID)
    }

    func startTasks(for deliveries: [Delivery]) {
        for delivery in deliveries { Task { await perform(delivery) } }
    }

    nonisolated(nonsending) func perform(_ delivery: Delivery) async {
        switch delivery {
        case .futures(let calls, let outcome): for call in calls { await call(outcome) }
        case .queue(let id): await HandlerQueues.run { shared.withLock { $0.queues.next(of: id) } }
        }
    }

    /// Does what is to be done at once for all observers and handlers of the end. Ends the progress handlers, and
    /// returns the rest.
    func deliveriesOfEnd(to observers: [OutcomeObserver], _ outcome: RequestOutcome) -> [Delivery] {
        let (endHandlers, progressHandlers) = shared.withLock { shared in
            defer { shared.endHandlers = [] }
            return (shared.endHandlers, shared.progressHandlers)
        }
        for handler in progressHandlers { removeProgressHandler(handler) }
        return deliveries(to: endHandlers.isEmpty ? observers : observers + endHandlers, outcome)
    }

    /// Fulfils awaits, and adds handlers to their queues. Returns the rest.
    private func deliveries(to observers: [OutcomeObserver], _ outcome: RequestOutcome) -> [Delivery] {
        var deliveries: [Delivery] = []
        var futures: [@Sendable (RequestOutcome) async -> Void] = []
        for observer in observers {
            switch observer {
            case .awaiting(let promise): promise.fulfill(outcome)
            case .future(let call): futures.append(call)
            case .handler(let id, let call):
                let handler: HandlerQueues.Handler = {
                    // It is called after the last progress report of its queue.
                    await self.waitForProgress(on: id)
                    await call(outcome)
                }
                if shared.withLock({ $0.queues.add(handler, to: id) }) { deliveries.append(.queue(id)) }
            }
        }
        if !futures.isEmpty { deliveries.append(.futures(futures, outcome)) }
        return deliveries
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
