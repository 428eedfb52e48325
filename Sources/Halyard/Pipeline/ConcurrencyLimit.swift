import HalyardHTTP

/// Limits how many requests of a client the transport has at once. The others wait, first in, first out.
///
/// The stage is below all interceptors, so that an interceptor that sends another request holds no slot meanwhile and
/// cannot deadlock.
final class ConcurrencyLimit: Interceptor {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State: Sendable {
        var available: Int
        /// The IDs of waiting requests, in their order. A request that has stopped waiting has no waiter, and is
        /// skipped.
        var queue = FIFO<UInt64>()
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0

        /// Returns the next waiter, which takes the slot. Without one, the slot becomes available.
        mutating func next() -> Waiter? {
            while let id = queue.removeFirst() {
                if let waiter = waiters.removeValue(forKey: id) { return waiter }
            }
            available += 1
            return nil
        }

        /// Joins the queue. Returns `true` if a slot became available meanwhile: the request then has it, and need
        /// not wait.
        mutating func wait(_ id: UInt64, _ waiter: Waiter) -> Bool {
            if available > 0 {
                available -= 1
                return true
            }
            queue.append(id)
            waiters[id] = waiter
            return false
        }
    }

    private let state: Lock<State>

    /// Makes a limit.
    ///
    /// - Parameter limit: The number of requests, at least one.
    init(_ limit: Int) { state = Lock(State(available: max(1, limit))) }

    /// Waits for a slot, sends the request, and releases the slot.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` if the deadline comes first.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try await acquire(next.context)
        defer { release() }
        return try await next.proceed(request)
    }

    private func release() { state.withLock { $0.next() }?.resume() }

    private nonisolated(nonsending) func acquire(_ context: RequestContext) async throws {
        let hasSlot = state.withLock { state in
            if state.available > 0 { state.available -= 1 } else { return false }
            return true
        }
        if hasSlot { return }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = context.remaining.map { remaining in
            Task {
                try await context.time.sleep(remaining)
                self.stopWaiting(id, with: context.timeoutError)
            }
        }
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if state.withLock({ $0.wait(id, continuation) }) { return continuation.resume() }
                // If the cancellation or the deadline came before the waiter was stored, it had no effect.
                if Task.isCancelled { stopWaiting(id, with: CancellationError()) }
                if let remaining = context.remaining, remaining <= .zero { stopWaiting(id, with: context.timeoutError) }
            }
        } onCancel: {
            stopWaiting(id, with: CancellationError())
        }
    }

    private func stopWaiting(_ id: UInt64, with error: any Error) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: error)
    }
}
