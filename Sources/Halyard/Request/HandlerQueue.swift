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

    /// Adds a job behind those that wait. A task runs for as long as there are any.
    package func add(_ job: @escaping Job) {
        if put(job) { start() }
    }

    /// Adds a job behind those that wait. Returns whether nobody runs the queue, so that the caller must.
    func put(_ job: @escaping Job) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Runs it in a task of its own.
    func start() { Task { await run() } }

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
