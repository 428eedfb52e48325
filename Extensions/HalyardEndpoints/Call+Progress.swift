public import Dispatch
public import HalyardFutures

// Watching a call. It starts nothing. A handler is told of each start that comes after it was added, however it is started;
// of one that is on its way already it is not.
extension Call {
    /// Calls a handler as the request's body goes out, on the main actor.
    ///
    /// ```swift
    /// api.call(Tracks.cover("42", picture))
    ///     .uploadProgress { bar.fraction = $0.fraction ?? 0 }
    ///     .enqueue { response in show(response.result) }
    /// ```
    ///
    /// ``perform(timeout:)`` on the main thread blocks the main actor: it tells those alone that are on a queue.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        watch(CallWatcher(isOnQueue: false) { $0.uploadProgress(handler) })
    }

    /// Calls a handler on a queue as the request's body goes out.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        watch(CallWatcher(isOnQueue: true) { $0.uploadProgress(on: queue, handler) })
    }

    /// Calls a handler as the response's body comes in, on the main actor. Its
    /// total is known when the server says Content-Length.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        watch(CallWatcher(isOnQueue: false) { $0.downloadProgress(handler) })
    }

    /// Calls a handler on a queue as the response's body comes in.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        watch(CallWatcher(isOnQueue: true) { $0.downloadProgress(on: queue, handler) })
    }
}

/// Somebody who watches each start of a call.
struct CallWatcher: Sendable {
    let isOnQueue: Bool
    private let add: @Sendable (Request) -> Void

    init(isOnQueue: Bool, _ add: @escaping @Sendable (Request) -> Void) {
        self.isOnQueue = isOnQueue
        self.add = add
    }

    func watch(_ request: Request) { add(request) }

    /// Whether it is told while the main actor is blocked.
    var needsMainActor: Bool { !isOnQueue }
}
