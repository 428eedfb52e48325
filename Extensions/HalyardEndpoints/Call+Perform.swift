import Dispatch
public import HalyardFutures
import HalyardHTTP

extension Call {
    /// Starts the call, and blocks the thread until the response has arrived. It is for command-line tools and scripts.
    ///
    /// The request runs outside of the cooperative pool where the system has task executors, so that calls from several
    /// tasks cannot block each other. On the main thread, code that needs the main actor, such as a hook of the provider,
    /// waits for this function to return.
    ///
    /// - Parameter timeout: The maximum time to wait. Defaults to 60 seconds on the main thread, and to no limit on
    ///   other threads. The request's own time limits apply as well.
    /// - Returns: The response. After the time limit it has an ``HTTPError`` of kind `timedOut`, and the request is
    ///   cancelled.
    @available(*, noasync, message: "await value() or response() instead: blocking in a task can deadlock")
    public func perform(timeout: Duration? = nil) -> Response<Output> {
        let (isOnMain, end) = (MainQueue.isCurrent, DispatchSemaphore(value: 0))
        let result = Lock<RequestOutcome?>(nil)
        let task = runOutsidePool { [provider, endpoint, progressHandlers] in
            let request = provider.request(endpoint)
            // A handler on the main actor cannot be called while the main actor is blocked.
            for (direction, handler) in progressHandlers where !isOnMain || handler.queueID != .main {
                request.addProgressHandler(direction, handler)
            }
            let outcome = await (consume request).outcome()
            result.withLock { $0 = outcome }
            end.signal()
        }
        let id = registerStart { task.cancel() }
        if id == nil { task.cancel() }
        defer { if let id { unregister(id) } }

        let limit = timeout ?? (isOnMain ? .seconds(60) : nil)
        _ = end.wait(timeout: limit.map { .now() + $0.seconds } ?? .distantFuture)
        guard var outcome = result.withLock({ $0 }) else {
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
