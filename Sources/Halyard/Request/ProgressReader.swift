import HalyardHTTP

/// Somebody who watches a transfer, and is told no faster than they take it in.
///
/// At most one report waits while another is delivered; a newer one replaces it. So the last is never lost, and the
/// order is kept.
final class ProgressReader: Sendable {
    private struct State: Sendable {
        var waiting: TransferProgress?
        var isDelivering = false
        var drained: [Latch] = []
    }

    let direction: TransferProgress.Direction
    let lane: Lane?
    private let deliver: @Sendable (TransferProgress) async -> Void
    private let onEnd: @Sendable () -> Void
    private let state = Lock(State())

    init(
        _ direction: TransferProgress.Direction, _ lane: Lane?,
        onEnd: @escaping @Sendable () -> Void = {}, _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        self.direction = direction
        self.lane = lane
        self.onEnd = onEnd
        self.deliver = deliver
    }

    /// Takes a report, from any thread, and returns at once.
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

    /// Returns when all that was offered is delivered, or when the task is cancelled.
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

    /// Delivers what is left, and says that no more comes.
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
