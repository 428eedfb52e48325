import HalyardHTTP

/// Lets one closure run at a time, in the order of the calls. Cancelling a caller does not cancel its closure.
final class Turns: Sendable {
    private let last = Lock(Task<Void, Never>?.none)

    /// Runs a closure after those before it.
    func next<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = last.withLock { last in
            let before = last
            let task = Task {
                await before?.value
                return try await body()
            }
            last = Task { _ = try? await task.value }
            return task
        }
        return try await task.value
    }
}
