import HalyardHTTP

/// Delivers progress reports to a handler, not faster than the handler returns.
///
/// At most one report waits while another is delivered. A newer report replaces it. The last report is always
/// delivered, and the order is kept.
final class ProgressHandler: Sendable {
    private struct State: Sendable {
        var waiting: TransferProgress?
        var isDelivering = false
        /// The waits for the end of the delivery.
        var drains: [CancellableWaiter<Void>] = []
    }

    let direction: TransferProgress.Direction
    let queueID: HandlerQueueID?
    private let deliver: @Sendable (TransferProgress) async -> Void
    private let onEnd: @Sendable () -> Void
    private let state = Lock(State())

    init(
        _ direction: TransferProgress.Direction, _ queueID: HandlerQueueID?,
        onEnd: @escaping @Sendable () -> Void = {}, _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        self.direction = direction
        self.queueID = queueID
        self.onEnd = onEnd
        self.deliver = deliver
    }

    /// Receives a report on any thread, and returns at once.
    func offer(_ progress: TransferProgress) {
        let isFirst = state.withLock { state in
            state.waiting = progress
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        Task {
            while let progress = next() { await deliver(progress) }
        }
    }

    /// Waits until all reports are delivered, or until the task is cancelled.
    func drain() async {
        let drain = state.withLock { state -> CancellableWaiter<Void>? in
            guard state.isDelivering else { return nil }
            let drain = CancellableWaiter<Void>()
            state.drains.append(drain)
            return drain
        }
        _ = await drain?.result()
    }

    /// Delivers the last report, and ends.
    func end() async {
        await drain()
        onEnd()
    }

    private func next() -> TransferProgress? {
        let (progress, drains) = state.withLock { state -> (TransferProgress?, [CancellableWaiter<Void>]) in
            defer { state.waiting = nil }
            if let waiting = state.waiting { return (waiting, []) }
            state.isDelivering = false
            defer { state.drains = [] }
            return (nil, state.drains)
        }
        for drain in drains { drain.end(with: .success(())) }
        return progress
    }
}
