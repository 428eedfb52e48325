public import Dispatch
import Halyard

// The progress of all requests in a chain. A handler that is added late receives the last report of each request.
extension Future {
    /// Calls a handler while the chain's requests send their bodies, on the main actor.
    ///
    /// - Parameter handler: Receives the reports.
    /// - Returns: This future.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.init(direction: .upload, queueID: .main) { await handler($0) })
    }

    /// Calls a handler while the chain's requests send their bodies, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: This future.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (RequestProgress) -> Void
    ) -> Future {
        addProgressHandler(.init(direction: .upload, queueID: .of(queue)) { await queue.call(handler, with: $0) })
    }

    /// Calls a handler while the chain's requests receive their responses' bodies, on the main actor.
    ///
    /// - Parameter handler: Receives the reports.
    /// - Returns: This future.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.init(direction: .download, queueID: .main) { await handler($0) })
    }

    /// Calls a handler while the chain's requests receive their responses' bodies, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: This future.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (RequestProgress) -> Void
    ) -> Future {
        addProgressHandler(.init(direction: .download, queueID: .of(queue)) { await queue.call(handler, with: $0) })
    }

    private func addProgressHandler(_ handler: ProgressRelay.Handler) -> Future {
        let id = progress.addHandler(handler)
        // The handler may refer to this future. The future releases the handler when no more requests can follow.
        whenDone { [progress] in progress.removeHandler(id) }
        return self
    }
}
