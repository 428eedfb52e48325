import Dispatch
import HalyardFutures
import HalyardHTTP

/// Runs a task on the thread that waits for it.
///
/// After the time limit, or after the outcome, jobs of the task run on a queue. Otherwise the task would never end, and
/// would keep its references.
final class WaitingThreadExecutor<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var outcome: Outcome?
        var isWaitedFor = true

        /// Returns the next action: a job to run or the outcome, with the jobs that a queue must run.
        mutating func next(
            isOver: Bool
        ) -> (job: (@Sendable () -> Void)?, outcome: Outcome?, rest: [@Sendable () -> Void]) {
            guard outcome == nil && !isOver else {
                isWaitedFor = false
                defer { jobs = [] }
                return (nil, outcome, jobs)
            }
            return (jobs.isEmpty ? nil : jobs.removeFirst(), nil, [])
        }
    }

    private let state = Lock(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Starts a task whose outcome ``wait(_:)`` returns. On systems without task executors it runs in the cooperative
    /// pool.
    func run(_ work: @escaping @Sendable () async -> Outcome) -> Task<Void, Never> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task.detached { self.complete(await work()) }
        }
        let executor = JobExecutor { self.add($0) }
        return Task(executorPreference: executor) { self.complete(await work()) }
    }

    /// Runs jobs until the outcome is known. Returns `nil` after the time limit.
    func wait(_ limit: Duration?) -> Outcome? {
        let end = limit.map { DispatchTime.now() + $0.seconds }
        while true {
            let isOver =
                end.map { signal.wait(timeout: $0) == .timedOut }
                ?? {
                    signal.wait(); return false
                }()
            let (job, outcome, rest) = state.withLock { $0.next(isOver: isOver) }
            job?()
            for job in rest { Self.runOnQueue(job) }
            if isOver || outcome != nil { return outcome }
        }
    }

    private func complete(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        signal.signal()
    }

    private func add(_ job: @escaping @Sendable () -> Void) {
        let isWaitedFor = state.withLock { state in
            if state.isWaitedFor { state.jobs.append(job) }
            return state.isWaitedFor
        }
        if isWaitedFor { signal.signal() } else { Self.runOnQueue(job) }
    }

    private static func runOnQueue(_ job: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: job) }
}

/// Passes the jobs of a task to a closure.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class JobExecutor: TaskExecutor {
    private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.add = add }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
