import HalyardHTTP

/// A reader of a request's outcome.
enum OutcomeReader: Sendable {
    /// An await. It receives the outcome at once, and waits for the progress handlers by itself, so that cancelling its
    /// task ends the wait.
    case awaiting(OneShot<Exchange>)
    /// A handler, called in its lane after the last progress there. Without a lane it is a future, which waits for no
    /// handler.
    case calling(Lane?, @Sendable (Exchange) async -> Void)

    init(lane: Lane?, call: @escaping @Sendable (Exchange) async -> Void) { self = .calling(lane, call) }
}

// Notifying readers and handlers.
extension RequestCore {
    /// Notifies all readers and handlers of the end.
    func notifyEnd(_ readers: [OutcomeReader], _ exchange: Exchange) {
        for queue in queuesAtEnd(readers, exchange) { queue.start() }
    }

    /// Notifies all readers and handlers of the end, one queue of handlers in the current task: another task would cost
    /// more than all else that a request costs here.
    ///
    /// - Parameter isCancelled: Whether the current task is cancelled or about to be. No handler runs in it then.
    nonisolated(nonsending) func notifyEndInTask(
        _ readers: [OutcomeReader], _ exchange: Exchange, isCancelled: Bool
    ) async {
        var queues = queuesAtEnd(readers, exchange)
        let own = isCancelled || Task.isCancelled ? nil : queues.popLast()
        for queue in queues { queue.start() }
        await own?.run()
    }

    /// Notifies readers of an outcome that is known.
    func notify(_ readers: [OutcomeReader], _ exchange: Exchange) {
        for queue in queues(readers, exchange) { queue.start() }
    }

    private func queuesAtEnd(_ readers: [OutcomeReader], _ exchange: Exchange) -> [HandlerQueue] {
        let (endReaders, watchers) = shared.withLock { shared in
            defer { shared.endReaders = [] }
            return (shared.endReaders, shared.watchers)
        }
        let queues = queues(readers + endReaders, exchange)
        for watcher in watchers { remove(watcher) }
        return queues
    }

    /// Fulfills awaits, and adds the calls of handlers to the queues of their lanes, in order, each after the last progress
    /// in its lane.
    ///
    /// - Returns: The queues that no task runs yet.
    private func queues(_ readers: [OutcomeReader], _ exchange: Exchange) -> [HandlerQueue] {
        let exchange = exchange.read(of: self)
        return readers.compactMap { reader in
            switch reader {
            case .awaiting(let outcome):
                outcome.fulfill(exchange)
                return nil
            case .calling(let lane, let call):
                let job: HandlerQueue.Job = {
                    if let lane { await self.waitForProgress(in: lane) }
                    await call(exchange)
                }
                return shared.withLock { $0.queues.put(job, in: lane) }
            }
        }
    }
}
