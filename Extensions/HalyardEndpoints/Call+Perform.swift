import Dispatch
public import HalyardFutures

extension Call {
    /// Starts it, and blocks the thread until the response is there: for command-line tools and scripts.
    ///
    /// All of it but the engine runs on the thread that waits: it takes no thread of the cooperative pool, so that calls
    /// from several tasks at once cannot wait for each other. On the main thread whatever wants the main actor, a hook of
    /// the provider for one, waits for this to return: there it ends after a minute, unless `timeout` says otherwise.
    ///
    /// - Parameter timeout: the most time to wait. Elsewhere than on the main thread there is no limit unless given,
    ///   beside the request's own timeouts.
    /// - Returns: the response; after the time ``HTTPError`` of kind `timedOut` is in it, and the request is cancelled.
    @available(*, noasync, message: "await value() or response() instead: blocking here could stop every task")
    public func perform(timeout: Duration? = nil) -> Response<Output> {
        let (executor, isOnMain) = (CallersThread<Exchange>(), MainQueue.isCurrent)
        let task = executor.run { [provider, endpoint, watchers] in
            let request = provider.request(endpoint)
            for watcher in watchers where !isOnMain || !watcher.needsMainActor { watcher.watch(request) }
            return await (consume request).outcome()
        }
        let id = note { task.cancel() }
        if id == nil { task.cancel() }
        defer { if let id { forget(id) } }

        let limit = timeout ?? (isOnMain ? .seconds(60) : nil)
        guard var exchange = executor.wait(limit) else {
            task.cancel()
            return Response(request: nil, response: nil, result: .failure(Self.overdue(limit, isOnMain: isOnMain)))
        }
        // The task is not the user's: that it was cancelled is what `cancel()` does.
        if exchange.error is CancellationError { exchange.error = HTTPError.cancelled }
        return exchange.response(endpoint.serializer)
    }

    private static func overdue(_ limit: Duration?, isOnMain: Bool) -> HTTPError {
        let time = limit.map { "\($0)" } ?? ""
        guard isOnMain else { return HTTPError(.timedOut, reason: "perform() had no outcome within \(time)") }
        return HTTPError(
            .timedOut,
            reason:
                "perform() blocks the main thread, and had no outcome within \(time): what runs on the main actor, such "
                + "as a hook of the provider, waits for it to return",
            suggestion: "Use enqueue, a future or await there, or call perform() on another thread")
    }
}

/// The queue that the main actor runs on, which need not be the process's first thread: `dispatchMain()` gives that up.
private enum MainQueue {
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
