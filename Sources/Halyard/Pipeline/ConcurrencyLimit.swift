import HalyardHTTP

/// Limits how many attempts of a client are with the transport at once. The others wait, first in, first out.
///
/// The stage is next to the transport: an interceptor that sends a request of its own never waits for itself.
final class ConcurrencyLimit: Interceptor {
    private typealias Ticket = CheckedContinuation<Void, any Error>

    private struct State: Sendable {
        var free: Int
        /// The waiting attempts, in their order. An attempt that has given up has no ticket, and is skipped.
        var queue = FIFO<UInt64>()
        var tickets: [UInt64: Ticket] = [:]
        var lastID: UInt64 = 0

        /// Returns the ticket of the next waiting attempt, which takes the place. Without one, the place becomes free.
        mutating func next() -> Ticket? {
            while let id = queue.removeFirst() {
                if let ticket = tickets.removeValue(forKey: id) { return ticket }
            }
            free += 1
            return nil
        }

        /// Joins the queue. Returns `true` if a place became free meanwhile: the attempt then has it, and need not
        /// wait.
        mutating func wait(_ id: UInt64, _ ticket: Ticket) -> Bool {
            if free > 0 {
                free -= 1
                return true
            }
            queue.append(id)
            tickets[id] = ticket
            return false
        }
    }

    private let state: Lock<State>

    /// Makes a limit.
    ///
    /// - Parameter limit: The number of attempts, at least one.
    init(_ limit: Int) { state = Lock(State(free: max(1, limit))) }

    /// Waits for a free place, sends the request, and passes the place on.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` if the deadline comes first.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try await enter(next.context)
        defer { leave() }
        return try await next.proceed(request)
    }

    private func leave() { state.withLock { $0.next() }?.resume() }

    private nonisolated(nonsending) func enter(_ context: RequestContext) async throws {
        let isFree = state.withLock { state in
            if state.free > 0 { state.free -= 1 } else { return false }
            return true
        }
        if isFree { return }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let alarm = context.remaining.map { remaining in
            Task {
                try await context.time.sleep(remaining)
                self.giveUp(id, with: context.timeoutError)
            }
        }
        defer { alarm?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if state.withLock({ $0.wait(id, continuation) }) { return continuation.resume() }
                // If the cancellation or the deadline came before the ticket was stored, it had no effect.
                if Task.isCancelled { giveUp(id, with: CancellationError()) }
                if let left = context.remaining, left <= .zero { giveUp(id, with: context.timeoutError) }
            }
        } onCancel: {
            giveUp(id, with: CancellationError())
        }
    }

    private func giveUp(_ id: UInt64, with error: any Error) {
        state.withLock { $0.tickets.removeValue(forKey: id) }?.resume(throwing: error)
    }
}
