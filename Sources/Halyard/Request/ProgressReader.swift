import HalyardHTTP

/// Somebody who watches a transfer, and is told no faster than they take it in.
///
/// At most one report waits while another is delivered; a newer one replaces it. So the last is never lost, and the
/// order is kept.
final class ProgressReader: Sendable {
    private struct State: Sendable {
        var waiting: TransferProgress?
        var isDelivering = false
        var drained: [CheckedContinuation<Void, Never>] = []
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

    /// Returns when all that was offered is delivered.
    func drain() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.isDelivering { state.drained.append(continuation) }
                return !state.isDelivering
            }
            if isDrained { continuation.resume() }
        }
    }

    /// Delivers what is left, and says that no more comes.
    func end() async {
        await drain()
        onEnd()
    }

    private func next() -> TransferProgress? {
        let (progress, drained) = state.withLock { state -> (TransferProgress?, [CheckedContinuation<Void, Never>]) in
            defer { state.waiting = nil }
            if let waiting = state.waiting { return (waiting, []) }
            state.isDelivering = false
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        for continuation in drained { continuation.resume() }
        return progress
    }
}
