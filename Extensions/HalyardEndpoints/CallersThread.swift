import Dispatch
import HalyardFutures
import HalyardHTTP

/// Runs a task on the thread that waits for it, which is blocked anyway.
///
/// What is still to run when nobody waits any more, after the time was over or behind the outcome, goes to a queue: a
/// task that is never run again would never let go of what it holds.
final class CallersThread<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var outcome: Outcome?
        var isWaitedFor = true

        /// What is to be done after each piece of news: a job to run, or the outcome, and what others are to run.
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
    private let news = DispatchSemaphore(value: 0)

    /// Starts a task whose outcome ``wait(_:)`` returns. Where the system is too old to choose the thread it runs in the
    /// pool.
    func run(_ work: @escaping @Sendable () async -> Outcome) -> Task<Void, Never> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task.detached { self.complete(await work()) }
        }
        let executor = JobExecutor { self.add($0) }
        return Task(executorPreference: executor) { self.complete(await work()) }
    }

    /// Runs what there is to run until the outcome is there; nil when the time is over first.
    func wait(_ limit: Duration?) -> Outcome? {
        let end = limit.map { DispatchTime.now() + $0.seconds }
        while true {
            let isOver =
                end.map { news.wait(timeout: $0) == .timedOut }
                ?? {
                    news.wait(); return false
                }()
            let (job, outcome, rest) = state.withLock { $0.next(isOver: isOver) }
            job?()
            for job in rest { Self.passOn(job) }
            if isOver || outcome != nil { return outcome }
        }
    }

    private func complete(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        news.signal()
    }

    private func add(_ job: @escaping @Sendable () -> Void) {
        let isWaitedFor = state.withLock { state in
            if state.isWaitedFor { state.jobs.append(job) }
            return state.isWaitedFor
        }
        if isWaitedFor { news.signal() } else { Self.passOn(job) }
    }

    private static func passOn(_ job: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: job) }
}

/// Hands the jobs of a task to a closure.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class JobExecutor: TaskExecutor {
    private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.add = add }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
