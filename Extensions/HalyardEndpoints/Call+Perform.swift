import Dispatch
public import HalyardFutures
import HalyardHTTP

extension Call {
    /// Starts the call and blocks the thread until the response has arrived. Use it in command-line tools and scripts.
    ///
    /// Everything except the engine runs on the waiting thread. No thread of the cooperative pool is used, so calls
    /// from several tasks cannot block each other. On the main thread, code that needs the main actor, such as a hook
    /// of the provider, has to wait until this function returns.
    ///
    /// - Parameter timeout: The maximum time to wait. Defaults to 60 seconds on the main thread, and to no limit on
    ///   other threads. The request's own time limits apply as well.
    /// - Returns: The response. If the time limit is exceeded, the response has an ``HTTPError`` of kind `timedOut`,
    ///   and the request is cancelled.
    @available(*, noasync, message: "await value() or response() instead: blocking in a task can deadlock")
    public func perform(timeout: Duration? = nil) -> Response<Output> {
        let (executor, isOnMain) = (WaitingThreadExecutor<RequestOutcome>(), MainQueue.isCurrent)
        let task = executor.run { [provider, endpoint, progressHandlers] in
            let request = provider.request(endpoint)
            // A handler on the main actor cannot be called while the main actor is blocked.
            for (direction, handler) in progressHandlers where !isOnMain || handler.queueID != .main {
                request.addProgressHandler(direction, handler)
            }
            return await (consume request).outcome()
        }
        let id = registerStart { task.cancel() }
        if id == nil { task.cancel() }
        defer { if let id { unregister(id) } }

        let limit = timeout ?? (isOnMain ? .seconds(60) : nil)
        guard var outcome = executor.wait(limit) else {
            task.cancel()
            return Response(request: nil, response: nil, result: .failure(Self.timeoutError(limit, isOnMain: isOnMain)))
        }
        // The task is internal: it is cancelled only by `cancel()`.
        if outcome.error is CancellationError { outcome.error = HTTPError.cancelled }
        return outcome.response(endpoint.serializer)
    }

    private static func timeoutError(_ limit: Duration?, isOnMain: Bool) -> HTTPError {
        let time = limit.map { "\($0)" } ?? ""
        guard isOnMain else { return HTTPError(.timedOut, reason: "perform() had no outcome within \(time)") }
        return HTTPError(
            .timedOut,
            reason:
                "perform() blocks the main thread, and had no outcome within \(time): code on the main actor, such "
                + "as a hook of the provider, cannot run meanwhile",
            suggestion: "On the main thread use enqueue, a future or await; or call perform() on another thread")
    }
}

/// The queue of the main actor. It need not be on the process's first thread, which `dispatchMain()` gives up.
private enum MainQueue {
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Runs a task on the thread that waits for it.
///
/// After the time limit, or after the outcome, jobs of the task run on a queue. Otherwise the task would never end, and
/// would keep its references.
final class WaitingThreadExecutor<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var outcome: Outcome?
        var isWaitedFor = true
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
        let end = limit.map { DispatchTime.now() + $0.seconds } ?? .distantFuture
        while true {
            let isOver = signal.wait(timeout: end) == .timedOut
            let (isEnd, outcome, jobs) = state.withLock { state in
                state.isWaitedFor = state.outcome == nil && !isOver
                let jobs = state.jobs.prefix(state.isWaitedFor ? 1 : .max)
                state.jobs.removeFirst(jobs.count)
                return (!state.isWaitedFor, state.outcome, jobs)
            }
            if isEnd {
                for job in jobs { Self.runOnQueue(job) }
                return outcome
            }
            jobs.first?()
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
