import HalyardHTTP

/// Limits how many requests of a client the transport has at once. The others wait, first in, first out.
///
/// The stage is below all interceptors, so that an interceptor that sends another request holds no slot meanwhile and
/// cannot deadlock.
final class ConcurrencyLimit: Interceptor {
    private struct State: Sendable {
        var available: Int
        /// The waiting requests, in their order, and those that have stopped waiting.
        var queue = FIFO<CancellableWaiter<Void>>()

        /// Takes a slot, or else joins the queue.
        ///
        /// - Returns: The waiter in the queue. `nil` if the request has a slot.
        mutating func acquire() -> CancellableWaiter<Void>? {
            guard available == 0 else {
                available -= 1
                return nil
            }
            let waiter = CancellableWaiter<Void>()
            queue.append(waiter)
            return waiter
        }

        /// Returns the next waiter, which takes the slot. Without one, the slot becomes available.
        mutating func next() -> CancellableWaiter<Void>? {
            if let waiter = queue.removeFirst() { return waiter }
            available += 1
            return nil
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

    private func release() {
        // A request that has stopped waiting does not take the slot.
        while let waiter = state.withLock({ $0.next() }) {
            if waiter.end(with: .success(())) { return }
        }
    }

    private nonisolated(nonsending) func acquire(_ context: RequestContext) async throws {
        guard let waiter = state.withLock({ $0.acquire() }) else { return }
        let timer = context.remaining.map { remaining in
            Task {
                try await context.time.sleep(remaining)
                waiter.end(with: .failure(context.timeoutError))
            }
        }
        defer { timer?.cancel() }
        try await waiter.value()
    }
}
