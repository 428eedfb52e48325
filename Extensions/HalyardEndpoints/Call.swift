public import Dispatch
public import HalyardFutures

/// An endpoint with its values, ready to be sent. You can start it several times; each start sends a request of its
/// own. The provider's properties are read at each start, on the thread that starts the call.
///
/// ```swift
/// let call = api.call(People.find("42"))
/// call.enqueue { response in show(response.value) }      // can be started again, to reload
/// let user = try await call.value()
/// let response = call.perform()                          // where blocking is allowed
/// ```
public final class Call<Output: Sendable>: Sendable {
    typealias DirectedHandler = (direction: TransferProgress.Direction, handler: Handler<TransferProgress>)

    private struct State: Sendable {
        /// Cancels each request that has not ended.
        var running: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
        var wasStarted = false
        /// Whether the call was cancelled before its first start.
        var isCancelledBeforeStart = false
        var progressHandlers: [DirectedHandler] = []

        /// Records a start. Returns `nil` if the call was cancelled before.
        mutating func start(_ cancel: @escaping @Sendable () -> Void) -> UInt64? {
            wasStarted = true
            if isCancelledBeforeStart {
                isCancelledBeforeStart = false
                return nil
            }
            lastID += 1
            running[lastID] = cancel
            return lastID
        }

        /// Returns the closures that cancel all requests, to be called after unlocking.
        mutating func cancel() -> [@Sendable () -> Void] {
            if !wasStarted { isCancelledBeforeStart = true }
            defer { running = [:] }
            return Array(running.values)
        }
    }

    let provider: any HTTPProvider
    let endpoint: Endpoint<Void, Output>
    private let state = Lock(State())

    init(_ endpoint: Endpoint<Void, Output>, of provider: any HTTPProvider) {
        self.endpoint = endpoint
        self.provider = provider
    }

    /// Starts the call. The handler runs once, on the main actor, unless the provider's `shouldContinue` returns
    /// `false`.
    @discardableResult
    public func enqueue(_ handler: @escaping @MainActor (Response<Output>) -> Void) -> Call {
        started().responseValue(endpoint.serializer, handler)
        return self
    }

    /// Starts the call. The handler runs once, on the queue, unless the provider's `shouldContinue` returns `false`.
    @discardableResult
    public func enqueue(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Output>) -> Void
    ) -> Call {
        started().responseValue(endpoint.serializer, on: queue, handler)
        return self
    }

    /// Starts the call and returns a future of its value.
    public func future() -> Future<Output> { started().future(endpoint.serializer) }

    /// Starts the call and waits for its value. Cancelling the task cancels the request.
    ///
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public func value() async throws -> Output { try await response().result.get() }

    /// Starts the call and waits for its response.
    public func response() async -> Response<Output> {
        let request = started()
        return await request.outcome().response(endpoint.serializer)
    }

    /// Cancels the call's unfinished requests. Their observers receive an ``HTTPError`` of kind `cancelled`, once.
    /// Before the first start, it cancels that start, whose request is then never sent. Later starts are not affected.
    public func cancel() { for cancel in state.withLock({ $0.cancel() }) { cancel() } }

    /// Starts a request, and records it until it ends.
    private func started() -> Request {
        let request = provider.request(endpoint)
        for (direction, handler) in progressHandlers { request.addProgressHandler(direction, handler) }
        if let id = registerStart({ request.cancel() }) {
            request.onEnd(on: .global()) { self.unregister(id) }
        } else {
            request.cancel()
        }
        return request
    }

    /// The progress handlers of later starts.
    var progressHandlers: [DirectedHandler] { state.withLock { $0.progressHandlers } }

    func addProgressHandler(_ direction: TransferProgress.Direction, _ handler: Handler<TransferProgress>) -> Call {
        state.withLock { $0.progressHandlers.append((direction, handler)) }
        return self
    }

    /// Records a start. Returns `nil` if the call was cancelled before.
    func registerStart(_ cancel: @escaping @Sendable () -> Void) -> UInt64? { state.withLock { $0.start(cancel) } }

    func unregister(_ id: UInt64) { state.withLock { $0.running[id] = nil } }
}

extension Call: SafelyDescribed {
    /// The method and path of the endpoint, as declared.
    public var description: String { "Call(\(endpoint))" }
}

// Progress handlers, which receive the reports of each start after they were added. They start nothing, and return the same
// call.
extension Call {
    /// Calls a handler on the main actor with the progress of uploads.
    ///
    /// ```swift
    /// api.call(Tracks.cover("42", picture))
    ///     .uploadProgress { bar.fraction = $0.fraction ?? 0 }
    ///     .enqueue { response in show(response.result) }
    /// ```
    ///
    /// While ``perform(timeout:)`` blocks the main thread, only handlers on a queue are called.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(.upload, .main(handler))
    }

    /// Calls a handler on a queue with the progress of uploads.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(.upload, .queue(queue, handler))
    }

    /// Calls a handler on the main actor with the progress of downloads.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Call {
        addProgressHandler(.download, .main(handler))
    }

    /// Calls a handler on a queue with the progress of downloads.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Call {
        addProgressHandler(.download, .queue(queue, handler))
    }
}
