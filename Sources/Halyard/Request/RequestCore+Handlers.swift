import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    /// Notifies all observers and handlers of the end.
    func notifyEnd(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        for queue in queuesAtEnd(observers, outcome) { queue.start() }
    }

    /// Notifies all observers and handlers of the end. One queue of handlers runs in the current task, because starting
    /// another task takes longer than the rest of this work.
    ///
    /// - Parameter isCancelled: Whether the current task is cancelled or about to be. No handler runs in it then.
    nonisolated(nonsending) func notifyEndInTask(
        _ observers: [OutcomeObserver], _ outcome: RequestOutcome, isCancelled: Bool
    ) async {
        var queues = queuesAtEnd(observers, outcome)
        let inlineQueue = isCancelled || Task.isCancelled ? nil : queues.popLast()
        for queue in queues { queue.start() }
        await inlineQueue?.run()
    }

    /// Notifies observers of an outcome that is known.
    func notify(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) {
        for queue in queues(observers, outcome) { queue.start() }
    }

    private func queuesAtEnd(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) -> [HandlerQueue] {
        let (endHandlers, progressHandlers) = shared.withLock { shared in
            defer { shared.endHandlers = [] }
            return (shared.endHandlers, shared.progressHandlers)
        }
        let queues = queues(observers + endHandlers, outcome)
        for handler in progressHandlers { removeProgressHandler(handler) }
        return queues
    }

    /// Fulfills awaits, and adds the calls of handlers to their queues, in order, each after the last progress report
    /// of its queue.
    ///
    /// - Returns: The queues that no task runs yet.
    private func queues(_ observers: [OutcomeObserver], _ outcome: RequestOutcome) -> [HandlerQueue] {
        let outcome = outcome.attached(to: self)
        return observers.compactMap { observer in
            switch observer {
            case .awaiting(let promise):
                promise.fulfill(outcome)
                return nil
            case .calling(let queueID, let call):
                let job: HandlerQueue.Job = {
                    if let queueID { await self.waitForProgress(on: queueID) }
                    await call(outcome)
                }
                return shared.withLock { $0.queues.enqueue(job, on: queueID) }
            }
        }
    }
}
