public import Dispatch
public import HalyardFutures

// Progress handlers. They do not start the call. A handler receives the reports of each start after it was added, but
// not of a request that has already started. Each function returns the same call, for chaining.
extension Call {
    /// Calls a handler with the progress of uploads, on the main actor.
    ///
    /// ```swift
    /// api.call(Tracks.cover("42", picture))
    ///     .uploadProgress { bar.fraction = $0.fraction ?? 0 }
    ///     .enqueue { response in show(response.result) }
    /// ```
    ///
    /// ``perform(timeout:)`` on the main thread blocks the main actor. Only handlers on a queue are then called.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(.upload, .main(handler))
    }

    /// Calls a handler with the progress of uploads, on a queue.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(.upload, .queue(queue, handler))
    }

    /// Calls a handler with the progress of downloads, on the main actor.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(.download, .main(handler))
    }

    /// Calls a handler with the progress of downloads, on a queue.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(.download, .queue(queue, handler))
    }
}
