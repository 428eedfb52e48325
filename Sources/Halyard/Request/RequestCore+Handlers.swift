import HalyardHTTP

// Notifying observers and handlers.
extension RequestCore {
    /// What is left to do in a task when observers are notified: to call the futures, one after another, or to run the
    /// first handler of a queue, which the others follow.
    ///
    /// It is one closure rather than an enum, because the frame of every request's task keeps it and must stay small.
    struct Delivery: Sendable {
        let perform: @Sendable () async -> Void
    }

    /// The receivers of an outcome. They are collected under the lock, and notified after it is released.
    struct Notification: Sendable {
        let outcome: RequestOutcome
        var awaits = FIFO<OneShot<RequestOutcome>>()
        var futures = FIFO<OutcomeObserver>()
        /// The first handler of each queue that had none.
        var deliveries = FIFO<Delivery>()
        /// The progress handlers, which end with the request.
        var progressHandlers: [ProgressHandler] = []
    }

    /// Notifies an observer of an outcome that is known.
    func notify(_ observer: OutcomeObserver, _ outcome: RequestOutcome) {
        var notification = Notification(outcome: outcome)
        shared.withLock { $0.add(observer, of: self, to: &notification) }
        notify(notification)
    }

    /// Delivers an outcome, and performs the first delivery in a task of its own as well.
    func notify(_ notification: Notification) { startTask(for: deliver(notification)) }

    /// Performs a delivery in a task of its own.
    func startTask(for delivery: Delivery?) {
        if let delivery { Task { await delivery.perform() } }
    }

    /// Delivers an outcome. Returns the first delivery, which is left to the caller.
    func deliver(_ notification: Notification) -> Delivery? {
        for handler in notification.progressHandlers { removeProgressHandler(handler) }
        for promise in notification.awaits { promise.fulfill(notification.outcome) }
        var deliveries = notification.deliveries
        if !notification.futures.isEmpty {
            deliveries.append(
                Delivery { [futures = notification.futures, outcome = notification.outcome] in
                    for case .future(let call) in futures { await call(outcome) }
                })
        }
        let first = deliveries.removeFirst()
        for delivery in deliveries { startTask(for: delivery) }
        return first
    }
}

extension RequestCore.Shared {
    /// Records the outcome. All handlers enter their queues at once, so that none that is added from now on overtakes
    /// them. Returns whom to notify; `nil` if there was an outcome before.
    mutating func end(_ core: RequestCore, with outcome: RequestOutcome) -> RequestCore.Notification? {
        guard let observers = state.complete(outcome) else { return nil }
        var notification = RequestCore.Notification(outcome: outcome)
        for (_, observer) in observers { add(observer, of: core, to: &notification) }
        for handler in endHandlers { add(handler, of: core, to: &notification) }
        endHandlers = []
        notification.progressHandlers = progressHandlers
        return notification
    }

    /// Adds an observer to a notification. A handler enters its queue.
    mutating func add(
        _ observer: OutcomeObserver, of core: RequestCore, to notification: inout RequestCore.Notification
    ) {
        switch observer {
        case .awaiting(let promise): notification.awaits.append(promise)
        case .future: notification.futures.append(observer)
        case .handler(let id, let call):
            let handler: HandlerQueues.Handler = { [outcome = notification.outcome] next in
                // It is called after the last progress report of its queue.
                await core.waitForProgress(on: id)
                await call(outcome, next)
            }
            guard queues.add(handler, to: id) else { return }
            notification.deliveries.append(
                RequestCore.Delivery {
                    await HandlerQueues.run(handler) { core.shared.withLock { $0.queues.next(of: id) } }
                })
        }
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
