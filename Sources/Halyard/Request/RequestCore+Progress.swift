import HalyardHTTP

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
