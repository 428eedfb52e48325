public import Dispatch
public import HalyardFutures

// Progress handlers. They do not start the call. A handler receives the reports of each start after it was added, but
// not of a request that has already started.
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
    ///
    /// - Parameter handler: Receives the reports.
    /// - Returns: The same call.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(CallProgressHandler(isOnQueue: false) { $0.uploadProgress(handler) })
    }

    /// Calls a handler with the progress of uploads, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: The same call.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(CallProgressHandler(isOnQueue: true) { $0.uploadProgress(on: queue, handler) })
    }

    /// Calls a handler with the progress of downloads, on the main actor.
    ///
    /// - Parameter handler: Receives the reports. The total is known if the server sends `Content-Length`.
    /// - Returns: The same call.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(CallProgressHandler(isOnQueue: false) { $0.downloadProgress(handler) })
    }

    /// Calls a handler with the progress of downloads, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the reports.
    /// - Returns: The same call.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(CallProgressHandler(isOnQueue: true) { $0.downloadProgress(on: queue, handler) })
    }
}

/// A progress handler of each start of a call.
struct CallProgressHandler: Sendable {
    let isOnQueue: Bool
    private let add: @Sendable (Request) -> Void

    init(isOnQueue: Bool, _ add: @escaping @Sendable (Request) -> Void) {
        self.isOnQueue = isOnQueue
        self.add = add
    }

    func add(to request: Request) { add(request) }

    /// Whether the handler cannot be called while the main actor is blocked.
    var needsMainActor: Bool { !isOnQueue }
}
