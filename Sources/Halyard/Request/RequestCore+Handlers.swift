import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    func notifyEnd(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        notify(addingEndHandlers(to: observers), outcome)
    }

    /// Notifies all observers and handlers of the end. The current task calls the futures, or else runs one queue of
    /// handlers, because starting another task takes longer than the rest of this work. `isCancelled` says whether the
    /// current task is cancelled or about to be. No handler runs in it then.
    nonisolated(nonsending) func notifyEndInTask(
        _ observers: [OutcomeObserver], _ outcome: RequestOutcome, isCancelled: Bool
    ) async {
        if isCancelled || Task.isCancelled { return notifyEnd(observers, outcome) }
        let observers = addingEndHandlers(to: observers)
        let hasFutures = observers.contains(where: \.isFuture)
        var queueIDs = fulfillAndEnqueue(observers, outcome)
        let ownQueueID = hasFutures ? nil : queueIDs.popLast()
        for id in queueIDs { startHandlers(on: id) }
        if hasFutures { await callFutures(observers, outcome) }
        if let ownQueueID { await runHandlers(on: ownQueueID) }
    }

    /// Notifies observers of an outcome that is known.
    func notify(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        for id in fulfillAndEnqueue(observers, outcome) { startHandlers(on: id) }
        if observers.contains(where: \.isFuture) { Task { await callFutures(observers, outcome) } }
    }

    /// Adds the handlers of the end, and ends the progress handlers.
    private func addingEndHandlers(to observers: [OutcomeObserver]) -> [OutcomeObserver] {
        let (endHandlers, progressHandlers) = shared.withLock { shared in
            defer { shared.endHandlers = [] }
            return (shared.endHandlers, shared.progressHandlers)
        }
        for handler in progressHandlers { removeProgressHandler(handler) }
        return endHandlers.isEmpty ? observers : observers + endHandlers
    }

    /// Fulfills awaits, and adds the calls of handlers to their queues, in order, each after the last progress report
    /// of its queue.
    private func fulfillAndEnqueue(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) -> [HandlerQueueID] {
        var queueIDs: [HandlerQueueID] = []
        for observer in observers {
            switch observer {
            case .awaiting(let promise): promise.fulfill(outcome)
            case .future: break
            case .handler(let id, let call):
                let handler: HandlerQueues.Handler = {
                    await self.waitForProgress(on: id)
                    await call(outcome)
                }
                if shared.withLock({ $0.queues.add(handler, to: id) }) { queueIDs.append(id) }
            }
        }
        return queueIDs
    }

    private nonisolated(nonsending) func callFutures(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) async {
        for case .future(let call) in observers { await call(outcome) }
    }

    private func startHandlers(on id: HandlerQueueID) { Task { await runHandlers(on: id) } }

    private nonisolated(nonsending) func runHandlers(on id: HandlerQueueID) async {
        await HandlerQueues.run { shared.withLock { $0.queues.next(of: id) } }
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
