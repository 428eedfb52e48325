public import Dispatch
public import HalyardHTTP

// Watching a request. It starts nothing: without a reader of the response, or `start()`, there is nothing to watch.
//
// A handler has at most one report waiting: while it runs newer ones replace each other. The last is never dropped. It is
// delivered before the handlers of the response in the same place, and before an await returns that is not cancelled. A
// handler that comes late is told the last report there was.
extension Request {
    /// Calls a handler as the request's body goes out.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        watch(.upload, handler)
    }

    /// Calls a handler on a queue as the request's body goes out.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        watch(.upload, on: queue, handler)
    }

    /// Calls a handler as the response's body comes in. Its total is known when the server says Content-Length.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        watch(.download, handler)
    }

    /// Calls a handler on a queue as the response's body comes in.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        watch(.download, on: queue, handler)
    }

    /// Calls a handler when the request is over, whatever its outcome: also when it was stopped or cancelled. It runs
    /// after the other handlers in its place, and starts nothing.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor () -> Void) -> Request {
        readEnd(
            OutcomeReader(lane: .main) { _ in await handler() })
        return self
    }

    /// Calls a handler on a queue when the request is over, whatever its outcome.
    @discardableResult
    public func onEnd(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> Request {
        readEnd(OutcomeReader(lane: .of(queue)) { _ in await queue.call({ _ in handler() }, with: ()) })
        return self
    }

    private func watch(
        _ direction: TransferProgress.Direction, _ handler: @escaping @MainActor (TransferProgress) -> Void
    ) -> Request {
        watch(ProgressReader(direction, .main) { await handler($0) })
        return self
    }

    private func watch(
        _ direction: TransferProgress.Direction, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        watch(ProgressReader(direction, .of(queue)) { await queue.call(handler, with: $0) })
        return self
    }
}
