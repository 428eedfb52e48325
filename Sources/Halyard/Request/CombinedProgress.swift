public import Dispatch
import HalyardHTTP

/// The upload progress of several requests as one, such as that of the parts of a large file.
///
/// ```swift
/// let progress = CombinedProgress(total: size) { bar.fraction = $0.fraction ?? 0 }
/// for part in parts {
///     try await api.request(.put(part)).uploadProgress(in: progress).void()
/// }
/// ```
///
/// The requests may run one after another or at once. The progress never goes backwards: if a request is sent again, its
/// bytes count when it gets further than before.
public final class CombinedProgress: Sendable {
    private struct State: Sendable {
        /// The bytes of each request.
        var parts: [Int64] = []
        var reported: Int64 = 0
    }

    private let total: Int64
    private let handler: Handler<TransferProgress>
    private let state = Lock(State())

    /// Creates a progress whose handler runs on the main actor. `total` is the number of bytes of all bodies.
    public convenience init(total: Int64, _ handler: @escaping @MainActor (TransferProgress) -> Void) {
        self.init(total: total, .main(handler))
    }

    /// Creates a progress whose handler runs on a serial queue. `total` is the number of bytes of all bodies. On a concurrent
    /// queue, one report may overtake another.
    public convenience init(
        total: Int64, on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.init(total: total, .queue(queue, handler))
    }

    private init(total: Int64, _ handler: Handler<TransferProgress>) {
        (self.total, self.handler) = (total, handler)
    }

    /// Returns the handler of one more request.
    fileprivate func partHandler() -> Handler<TransferProgress> {
        let part = state.withLock { state in
            state.parts.append(0)
            return state.parts.count - 1
        }
        switch handler {
        case .main(let handler): return .main { self.add($0, part).map(handler) }
        case .queue(let queue, let handler): return .queue(queue) { self.add($0, part).map(handler) }
        }
    }

    /// Records the progress of a request. Returns that of all, if it has grown.
    private func add(_ progress: TransferProgress, _ part: Int) -> TransferProgress? {
        state.withLock { state in
            state.parts[part] = max(state.parts[part], progress.completed)
            let sum = min(total, state.parts.reduce(0, +))
            guard sum > state.reported else { return nil }
            state.reported = sum
            return TransferProgress(completed: sum, total: total)
        }
    }
}

extension Request {
    /// Counts the progress of the upload as a part of another one.
    @discardableResult
    public func uploadProgress(in combined: CombinedProgress) -> Request {
        addProgressHandler(.upload, combined.partHandler())
    }
}
