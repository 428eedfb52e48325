import HalyardHTTP

/// Lets so many attempts of a client through at once; the others wait in the order in which they came.
///
/// An attempt goes through around the engine alone: an interceptor that makes a request of its own never waits for itself.
final class Turnstile: Sendable {
    private typealias Ticket = CheckedContinuation<Void, any Error>

    private struct State: Sendable {
        var free: Int
        /// In order: who has left is skipped.
        var line = FIFO<UInt64>()
        var tickets: [UInt64: Ticket] = [:]
        var lastID: UInt64 = 0

        /// The next in line, who takes the place over.
        mutating func next() -> Ticket? {
            while let id = line.removeFirst() {
                if let ticket = tickets.removeValue(forKey: id) { return ticket }
            }
            free += 1
            return nil
        }

        /// Joins the line. True when a place came free meanwhile: it is taken, and nobody is to wait.
        mutating func wait(_ id: UInt64, _ ticket: Ticket) -> Bool {
            if free > 0 {
                free -= 1
                return true
            }
            line.append(id)
            tickets[id] = ticket
            return false
        }
    }

    private let state: Lock<State>

    init(_ limit: Int) { state = Lock(State(free: max(1, limit))) }

    /// Waits for a place, does the work, and gives the place on.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` when the deadline comes first, or what the work throws.
    func pass<Value: Sendable>(_ plan: Plan, _ work: () async throws -> Value) async throws -> Value {
        try await enter(plan)
        defer { leave() }
        return try await work()
    }

    private func leave() { state.withLock { $0.next() }?.resume() }

    private func enter(_ plan: Plan) async throws {
        let isFree = state.withLock { state in
            if state.free > 0 { state.free -= 1 } else { return false }
            return true
        }
        if isFree { return }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let alarm = plan.remaining.map { remaining in
            Task {
                try await plan.time.sleep(remaining)
                self.giveUp(id, with: plan.overdueError)
            }
        }
        defer { alarm?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if state.withLock({ $0.wait(id, continuation) }) { return continuation.resume() }
                // What came before there was a ticket found nobody.
                if Task.isCancelled { giveUp(id, with: CancellationError()) }
                if let left = plan.remaining, left <= .zero { giveUp(id, with: plan.overdueError) }
            }
        } onCancel: {
            giveUp(id, with: CancellationError())
        }
    }

    private func giveUp(_ id: UInt64, with error: any Error) {
        state.withLock { $0.tickets.removeValue(forKey: id) }?.resume(throwing: error)
    }
}
