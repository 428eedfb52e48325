import Dispatch

/// Runs work that may wait for the disk on a thread outside of the concurrency pool, whose threads all tasks share.
///
/// - Throws: The error of the work, or `CancellationError` as soon as the task is cancelled. The work then runs on, and
///   its result is dropped.
package nonisolated(nonsending) func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let waiter = CancellableWaiter<Value>()
    DispatchQueue.global().async { waiter.end(with: Result(catching: work)) }
    return try await waiter.value()
}
