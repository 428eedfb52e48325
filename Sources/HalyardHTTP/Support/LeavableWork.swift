import Dispatch
import HalyardFoundation

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

/// Starts a task on a thread outside of the concurrency pool where the system has task executors: one that is blocked for,
/// or that occupies its thread for long.
package func runOutsidePool(
    _ queues: JobQueues = JobQueues(count: 1), _ work: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task { await work() } }
    return Task(executorPreference: JobExecutor(queues: queues)) { await work() }
}

/// Queues with a thread each, for the jobs of tasks.
package final class JobQueues: Sendable {
    /// As many threads as there are processors, for work that computes.
    package static let ofProcessors = JobQueues(count: ProcessInfo.processInfo.activeProcessorCount)

    private let queues: [DispatchQueue]
    /// The number of jobs of each queue.
    private let counts: Lock<[Int]>

    package init(count: Int) {
        queues = (0..<count).map { _ in DispatchQueue(label: "Halyard.Jobs") }
        counts = Lock(queues.map { _ in 0 })
    }

    /// Runs a job on the queue that has the fewest.
    func add(_ job: @escaping @Sendable () -> Void) {
        let index = counts.withLock { counts in
            let index = counts.indices.min { counts[$0] < counts[$1] } ?? 0
            counts[index] += 1
            return index
        }
        queues[index].async {
            job()
            self.counts.withLock { $0[index] -= 1 }
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class JobExecutor: TaskExecutor {
    let queues: JobQueues

    init(queues: JobQueues) { self.queues = queues }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queues.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
