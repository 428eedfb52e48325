public import Dispatch
public import HalyardHTTP

// Progress handlers. They do not start the request.
//
// While a handler runs, at most one report waits, and newer ones replace it. The last report is always delivered:
// before the response's handlers in the same place, and before an await returns, unless it is cancelled. A handler that
// is added later receives the last report.
extension Request {
    /// Calls a handler with the progress of the upload, on the main actor.
    ///
    /// - Parameter handler: Receives the reports.
    /// - Returns: The same request.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.upload, handler)
    }

    /// Calls a handler with the progress of the upload, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: The same request.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.upload, on: queue, handler)
    }

    /// Calls a handler with the progress of the download, on the main actor.
    ///
    /// - Parameter handler: Receives the reports. The total is known if the server sends `Content-Length`.
    /// - Returns: The same request.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.download, handler)
    }

    /// Calls a handler with the progress of the download, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: The same request.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.download, on: queue, handler)
    }

    /// Calls a handler at the end of the request, on the main actor, whatever the outcome, also after a cancellation.
    /// The handler runs after the other handlers in the same place. It does not start the request.
    ///
    /// - Parameter handler: Called at the end.
    /// - Returns: The same request.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor () -> Void) -> Request {
        addEndHandler(
            OutcomeObserver(on: .main) { _ in await handler() })
        return self
    }

    /// Calls a handler at the end of the request, on a queue, whatever the outcome.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Called at the end.
    /// - Returns: The same request.
    @discardableResult
    public func onEnd(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> Request {
        addEndHandler(OutcomeObserver(on: .of(queue)) { _ in await queue.call({ _ in handler() }, with: ()) })
        return self
    }

    private func addProgressHandler(
        _ direction: TransferProgress.Direction, _ handler: @escaping @MainActor (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(ProgressHandler(direction, .main) { await handler($0) })
        return self
    }

    private func addProgressHandler(
        _ direction: TransferProgress.Direction, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(ProgressHandler(direction, .of(queue)) { await queue.call(handler, with: $0) })
        return self
    }
}
