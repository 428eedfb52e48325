import Dispatch

/// Does work that may ignore its cancellation, such as a user's code, and does not wait for it after a time limit (`nil`
/// for none) or after a cancellation of the caller's task. The work is then cancelled, and `drop` receives its value.
/// Throws the error of the work, the error at the limit, or `CancellationError`.
package nonisolated(nonsending) func leavable<Value: Sendable>(
    within limit: Duration?, _ time: PipelineTime, _ work: @escaping @Sendable () async throws -> Value,
    orDrop drop: @escaping @Sendable (Value) -> Void = { _ in }, throwing error: @escaping @Sendable () -> any Error
) async throws -> Value {
    let waiter = CancellableWaiter<Value>()
    let task = Task {
        do {
            let value = try await work()
            if !waiter.end(with: .success(value)) { drop(value) }
        } catch { waiter.end(with: .failure(error)) }
    }
    let timer = limit.map { limit in
        let end = time.now() + limit
        return Task {
            try? await time.sleep(limit)
            // Some clocks of tests do not wait.
            guard !Task.isCancelled, time.now() >= end else { return }
            if waiter.end(with: .failure(error())) { task.cancel() }
        }
    }
    defer { timer?.cancel() }
    return try await waiter.value(onCancel: { task.cancel() })
}

/// Runs work that may wait for the disk on a thread outside of the concurrency pool, whose threads all tasks share.
/// Throws the error of the work, or `CancellationError` as soon as the task is cancelled. The work then runs on, and
/// its result is dropped.
package nonisolated(nonsending) func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let waiter = CancellableWaiter<Value>()
    DispatchQueue.global().async { waiter.end(with: Result(catching: work)) }
    return try await waiter.value()
}
