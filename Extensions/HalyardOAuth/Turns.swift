import HalyardHTTP

/// Lets one closure run at a time, in the order of the calls. Cancelling a caller does not cancel its closure.
final class Turns: Sendable {
    fileprivate struct State: Sendable {
        var last: Task<Void, Never>?
        /// Cancels the renewal that waits or runs.
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Runs a closure after those before it. With `interrupting`, a renewal in progress is cancelled, and starts again
    /// after the closure.
    func next<Value: Sendable>(
        interrupting: Bool = false, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (task, interrupt) = state.withLock { state in
            (state.add(body), interrupting ? state.interrupt.take() : nil)
        }
        interrupt?()
        return try await task.value
    }

    /// Runs a closure that may be interrupted, until it was not.
    func renewal<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        while true {
            let task = state.withLock { state in
                let task = state.add(body)
                state.interrupt = { task.cancel() }
                return task
            }
            do { return try await task.value } catch { if !task.isCancelled { throw error } }
        }
    }
}

extension Turns.State {
    fileprivate mutating func add<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let before = last
        let task = Task {
            await before?.value
            try Task.checkCancellation()
            return try await body()
        }
        last = Task { _ = try? await task.value }
        return task
    }
}
