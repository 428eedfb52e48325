import HalyardHTTP

// Progress reports.
extension RequestCore {
    /// Adds a progress handler, which receives the last report at once.
    func watch(_ watcher: ProgressReader) {
        let (latest, isDone) = shared.withLock { shared in
            shared.watchers.append(watcher)
            return (shared.latest[watcher.direction], shared.state.isDone)
        }
        if let latest { watcher.offer(latest) }
        if isDone { remove(watcher) }
    }

    /// Ends a progress handler after its last report, and releases it: a handler may refer to the request.
    func remove(_ watcher: ProgressReader) {
        Task {
            await watcher.end()
            shared.withLock { $0.watchers.removeAll { $0 === watcher } }
        }
    }

    func report(_ direction: TransferProgress.Direction, _ progress: TransferProgress) {
        let watchers = shared.withLock { shared in
            shared.latest[direction] = progress
            return shared.watchers
        }
        for watcher in watchers where watcher.direction == direction { watcher.offer(progress) }
    }

    /// Waits until all progress handlers have received the last report, or until the task is cancelled. A cancelled request
    /// does not wait.
    func waitForProgress(after exchange: Exchange) async {
        if !exchange.isCancelled { await waitForProgress(in: nil) }
    }

    /// Waits until the progress handlers in a lane, or in all lanes, have received the last report of a request that has
    /// ended, or until the task is cancelled.
    func waitForProgress(in lane: Lane?) async {
        let watchers = shared.withLock { $0.state.isDone ? $0.watchers : [] }
        for watcher in watchers where lane == nil || watcher.lane == lane { await watcher.drain() }
    }
}
