import HalyardHTTP

// Progress reports.
extension RequestCore {
    /// Adds a progress handler, which receives the last report at once.
    func addProgressObserver(_ observer: ProgressObserver) {
        let (latest, isDone) = shared.withLock { shared in
            shared.progressObservers.append(observer)
            return (shared.latest[observer.direction], shared.state.isDone)
        }
        if let latest { observer.offer(latest) }
        if isDone { removeProgressObserver(observer) }
    }

    /// Ends a progress handler after its last report, and releases it: a handler may refer to the request.
    func removeProgressObserver(_ observer: ProgressObserver) {
        Task {
            await observer.end()
            shared.withLock { $0.progressObservers.removeAll { $0 === observer } }
        }
    }

    func report(_ direction: TransferProgress.Direction, _ progress: TransferProgress) {
        let progressObservers = shared.withLock { shared in
            shared.latest[direction] = progress
            return shared.progressObservers
        }
        for observer in progressObservers where observer.direction == direction { observer.offer(progress) }
    }

    /// Waits until all progress handlers have received the last report, or until the task is cancelled. A cancelled request
    /// does not wait.
    func waitForProgress(after outcome: RequestOutcome) async {
        if !outcome.isCancelled { await waitForProgress(on: nil) }
    }

    /// Waits until the progress handlers of a queue, or of all queues, have received the last report of a request that has
    /// ended, or until the task is cancelled.
    func waitForProgress(on queueID: HandlerQueueID?) async {
        let progressObservers = shared.withLock { $0.state.isDone ? $0.progressObservers : [] }
        for observer in progressObservers where queueID == nil || observer.queueID == queueID { await observer.drain() }
    }
}
