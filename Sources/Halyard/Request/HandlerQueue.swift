import HalyardHTTP

/// Runs what it is given one after another, in order, outside whatever thread it was given on.
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

    /// Adds a job behind those that wait. Returns whether nobody runs the queue, so that the caller must.
    fileprivate func put(_ job: @escaping Job) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Runs it in a task of its own.
    package func start() { Task { await run() } }

    /// Runs it in the task of the caller, which then works off whatever comes meanwhile as well.
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

/// A queue for each lane that is in use. Queues that have run dry are let go when there are many.
package struct HandlerQueues: Sendable {
    private var queues: [Lane?: HandlerQueue] = [:]
    private var limit = 8

    package init() {}

    /// How many queues there are.
    package var count: Int { queues.count }

    /// Adds a job to the queue of a lane. Returns the queue where nobody runs it, so that the caller must.
    package mutating func put(_ job: @escaping HandlerQueue.Job, in lane: Lane?) -> HandlerQueue? {
        let queue = queues[lane] ?? make(for: lane)
        return queue.put(job) ? queue : nil
    }

    private mutating func make(for lane: Lane?) -> HandlerQueue {
        if queues.count >= limit {
            queues = queues.filter { !$0.value.isIdle }
            limit = max(8, 2 * queues.count)
        }
        let queue = HandlerQueue()
        queues[lane] = queue
        return queue
    }
}
