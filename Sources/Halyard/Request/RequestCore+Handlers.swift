import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    /// Notifies all observers and handlers of the end.
    func notifyEnd(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        notify(addingEndHandlers(to: observers), outcome)
    }

    /// Notifies all observers and handlers of the end. The current task calls the futures, or else runs one queue of
    /// handlers, because starting another task takes longer than the rest of this work.
    ///
    /// - Parameter isCancelled: Whether the current task is cancelled or about to be. No handler runs in it then.
    nonisolated(nonsending) func notifyEndInTask(
        _ observers: [OutcomeObserver], _ outcome: RequestOutcome, isCancelled: Bool
    ) async {
        if isCancelled || Task.isCancelled { return notifyEnd(observers, outcome) }
        let observers = addingEndHandlers(to: observers)
        let outcome = outcome.attached(to: self)
        let hasFutures = observers.contains(where: \.isFuture)
        var queueIDs = fulfillAndEnqueue(observers, outcome)
        let ownQueueID = hasFutures ? nil : queueIDs.popLast()
        for id in queueIDs { startHandlers(on: id) }
        if hasFutures { await callFutures(observers, outcome) }
        if let ownQueueID { await runHandlers(on: ownQueueID) }
    }

    /// Notifies observers of an outcome that is known.
    func notify(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        let outcome = outcome.attached(to: self)
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
