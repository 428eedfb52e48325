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
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Task { await run() } }
    }

    private func run() async {
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
