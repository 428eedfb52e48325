import Halyard

// The progress of all requests in a chain. Handlers run on the main actor. A handler that is added late receives the last
// report.
extension Future {
    /// Calls a handler while the chain's requests send their bodies.
    ///
    /// - Parameter handler: Receives each report.
    /// - Returns: This future.
    @discardableResult
    public func onUploadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.upload, handler)
    }

    /// Calls a handler while the chain's requests receive their responses' bodies.
    ///
    /// - Parameter handler: Receives each report.
    /// - Returns: This future.
    @discardableResult
    public func onDownloadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.download, handler)
    }

    private func addProgressHandler(
        _ direction: TransferProgress.Direction, _ handler: @escaping @MainActor (RequestProgress) -> Void
    ) -> Future {
        let observer = ProgressRelay.Observer(direction: direction, queueID: .main) { await handler($0) }
        let id = progress.addObserver(observer)
        // The handler may refer to this future. The future releases the handler when no more requests can follow.
        whenDone { [progress] in progress.removeObserver(id) }
        return self
    }
}
