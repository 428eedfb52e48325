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
    private let state = Lock(State())

    init(
        _ direction: TransferProgress.Direction, _ queueID: HandlerQueueID?,
        _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        self.direction = direction
        self.queueID = queueID
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

/// The last report of each direction. A dictionary would cost an allocation for each request.
struct LatestProgress: Sendable {
    private var upload: TransferProgress?
    private var download: TransferProgress?

    subscript(direction: TransferProgress.Direction) -> TransferProgress? {
        get { direction == .upload ? upload : download }
        set { if direction == .upload { upload = newValue } else { download = newValue } }
    }
}
