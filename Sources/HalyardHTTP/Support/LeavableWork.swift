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

/// Starts a task that occupies its thread for long, outside of the concurrency pool where the system has task executors.
package func runOutsidePool(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task { await work() } }
    return Task(executorPreference: JobExecutor(JobQueues.shared.add)) { await work() }
}

/// As many queues with a thread each as there are processors.
private final class JobQueues: Sendable {
    static let shared = JobQueues()

    private let queues = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
        DispatchQueue(label: "Halyard.Jobs")
    }
    /// The number of jobs of each queue.
    private let counts: Lock<[Int]>

    private init() { counts = Lock(queues.map { _ in 0 }) }

    /// Runs a job on the queue that has the fewest.
    @Sendable func add(_ job: @escaping @Sendable () -> Void) {
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

/// Passes the jobs of a task to a closure.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class JobExecutor: TaskExecutor {
    private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

    package init(_ add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.add = add }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
