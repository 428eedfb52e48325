import HalyardHTTP

/// Delivers progress reports to a handler, not faster than the handler returns.
///
/// At most one report waits while another is delivered. A newer report replaces it. The last report is always
/// delivered, and the order is kept.
final class ProgressHandler: Sendable {
    private struct State: Sendable {
        var waiting: TransferProgress?
        var isDelivering = false
        var drained: [Latch] = []
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
        let latch = Latch()
        let isDrained = state.withLock { state in
            if state.isDelivering { state.drained.append(latch) }
            return !state.isDelivering
        }
        if isDrained { return }
        await withTaskCancellationHandler {
            await latch.wait()
        } onCancel: {
            latch.open()
        }
    }

    /// Delivers the last report, and ends.
    func end() async {
        await drain()
        onEnd()
    }

    private func next() -> TransferProgress? {
        let (progress, drained) = state.withLock { state -> (TransferProgress?, [Latch]) in
            defer { state.waiting = nil }
            if let waiting = state.waiting { return (waiting, []) }
            state.isDelivering = false
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        for latch in drained { latch.open() }
        return progress
    }
}
