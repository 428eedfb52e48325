import Halyard

// Progress, through map and flatMap. Handlers run on the main actor. One that
// comes late is told the last report there was.
extension Future {
    /// Calls a handler as the bodies of the chain's requests go out.
    @discardableResult
    public func onUploadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        watch(.upload, handler)
    }

    /// Calls a handler as the bodies of the chain's responses come in.
    @discardableResult
    public func onDownloadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        watch(.download, handler)
    }

    private func watch(
        _ direction: TransferProgress.Direction, _ handler: @escaping @MainActor (RequestProgress) -> Void
    ) -> Future {
        let watcher = ProgressRelay.Watcher(direction: direction, lane: .main) { await handler($0) }
        let id = progress.watch(watcher)
        // The handler may hold this future, which must not hold the handler when no more requests can come.
        whenDone { [progress] in progress.leave(id) }
        return self
    }
}
