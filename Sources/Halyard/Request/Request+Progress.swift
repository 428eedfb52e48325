public import Dispatch
public import HalyardHTTP

// Progress handlers, and handlers of the end. They do not start the request. Each function returns the same request, for
// chaining.
//
// While a progress handler runs, at most one report waits, and newer ones replace it. The last report is always
// delivered: before the response's handlers in the same place, and before an await returns, unless it is cancelled. A
// handler that is added later receives the last report.
extension Request {
    /// Calls a handler with the progress of the upload, on the main actor.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.upload, .main(handler))
    }

    /// Calls a handler with the progress of the upload, on a queue.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.upload, .queue(queue, handler))
    }

    /// Calls a handler with the progress of the download, on the main actor. The total is known if the server sends
    /// `Content-Length`.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.download, .main(handler))
    }

    /// Calls a handler with the progress of the download, on a queue.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.download, .queue(queue, handler))
    }

    /// Calls a handler at the end of the request, on the main actor, whatever the outcome, also after a cancellation.
    /// The handler runs after the other handlers in the same place.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor () -> Void) -> Request {
        addEndHandler(.main { handler() })
    }

    /// Calls a handler at the end of the request, on a queue, whatever the outcome.
    @discardableResult
    public func onEnd(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> Request {
        addEndHandler(.queue(queue) { handler() })
    }

    @discardableResult
    package func addProgressHandler(
        _ direction: TransferProgress.Direction, _ handler: Handler<TransferProgress>
    ) -> Request {
        addProgressHandler(direction, on: handler.queueID) { await handler.call(with: $0) }
        return self
    }

    private func addEndHandler(_ handler: Handler<Void>) -> Request {
        core.addEndHandler(.handler(handler.queueID) { _ in await handler.call(with: ()) })
        return self
    }
}
