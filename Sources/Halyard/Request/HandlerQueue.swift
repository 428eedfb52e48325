import HalyardHTTP

/// Runs jobs one after another, in order, and never on the thread that adds them.
package final class HandlerQueue: Sendable {
    package typealias Job = @Sendable () async -> Void

    private struct State: Sendable {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Lock(State())

    package init() {}

    /// Whether no job runs or waits.
    fileprivate var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Appends a job. Returns `true` if no task runs the queue. The caller must then run it.
    fileprivate func enqueue(_ job: @escaping Job) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Runs the queue in a new task.
    package func start() { Task { await run() } }

    /// Runs the queue in the caller's task, with the jobs that are added meanwhile.
    nonisolated(nonsending) func run() async {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                state.isRunning = !state.jobs.isEmpty
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { await job() }
        }
    }
}

/// The handler queues in use, by their IDs. Empty queues are removed when there are many.
package struct HandlerQueues: Sendable {
    private var queues: [HandlerQueueID?: HandlerQueue] = [:]
    private var limit = 8

    package init() {}

    /// The number of queues.
    package var count: Int { queues.count }

    /// Appends a job to a queue. Returns the queue if no task runs it, so that the caller must run it.
    package mutating func enqueue(_ job: @escaping HandlerQueue.Job, on queueID: HandlerQueueID?) -> HandlerQueue? {
        let queue = queues[queueID] ?? make(for: queueID)
        return queue.enqueue(job) ? queue : nil
    }

    private mutating func make(for queueID: HandlerQueueID?) -> HandlerQueue {
        if queues.count >= limit {
            queues = queues.filter { !$0.value.isIdle }
            limit = max(8, 2 * queues.count)
        }
        let queue = HandlerQueue()
        queues[queueID] = queue
        return queue
    }
}
