public import Dispatch
public import HalyardFutures

/// An endpoint with its values, ready to be sent: nothing is sent until it is started, and each start is an exchange of
/// its own. What the provider says is read when it starts, on the thread that starts it.
///
/// ```swift
/// let call = api.call(People.find("42"))
/// call.enqueue { response in show(response.value) }      // and again, to load anew
/// let user = try await call.value()
/// let response = call.perform()                          // where blocking is allowed
/// ```
public final class Call<Output: Sendable>: Sendable {
    private struct State: Sendable {
        /// How to cancel each of those that are on their way.
        var running: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
        var wasStarted = false
        /// It was cancelled before its first start, which is not to be.
        var isForestalled = false
        var watchers: [CallWatcher] = []

        /// Notes a start; nil when it was forestalled.
        mutating func start(_ cancel: @escaping @Sendable () -> Void) -> UInt64? {
            wasStarted = true
            if isForestalled {
                isForestalled = false
                return nil
            }
            lastID += 1
            running[lastID] = cancel
            return lastID
        }

        /// What to do, after unlocking, so that all end.
        mutating func cancel() -> [@Sendable () -> Void] {
            if !wasStarted { isForestalled = true }
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

    /// Starts it. The handler is called once, on the main actor; not at all when
    /// the provider's `shouldContinue` says no.
    @discardableResult
    public func enqueue(_ handler: @escaping @MainActor (Response<Output>) -> Void) -> Call {
        started().responseValue(endpoint.serializer, handler)
        return self
    }

    /// Starts it. The handler is called once, on a queue.
    @discardableResult
    public func enqueue(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Output>) -> Void
    ) -> Call {
        started().responseValue(endpoint.serializer, on: queue, handler)
        return self
    }

    /// Starts it, for a future.
    public func future() -> Future<Output> { started().future(endpoint.serializer) }

    /// Starts it, for an await: the value. Cancelling the task cancels the request.
    ///
    /// - Throws: ``HTTPError``, or what the provider's hooks threw.
    public func value() async throws -> Output { try await response().result.get() }

    /// Starts it, for an await: the response, whatever became of it.
    public func response() async -> Response<Output> {
        let request = started()
        return await request.outcome().response(endpoint.serializer)
    }

    /// Ends what was started and is on its way: its readers get ``HTTPError`` of kind `cancelled`, once. Before the first
    /// start it forestalls that one, which then ends so and is never sent. A later start sends.
    public func cancel() { for cancel in state.withLock({ $0.cancel() }) { cancel() } }

    /// A request that is noted until it ends.
    private func started() -> Request {
        let request = provider.request(endpoint)
        for watcher in watchers { watcher.watch(request) }
        if let id = note({ request.cancel() }) {
            request.onEnd(on: .global()) { self.forget(id) }
        } else {
            request.cancel()
        }
        return request
    }

    /// Who watches what is started from now on.
    var watchers: [CallWatcher] { state.withLock { $0.watchers } }

    func watch(_ watcher: CallWatcher) -> Call {
        state.withLock { $0.watchers.append(watcher) }
        return self
    }

    /// Notes a start; nil when it was forestalled.
    func note(_ cancel: @escaping @Sendable () -> Void) -> UInt64? { state.withLock { $0.start(cancel) } }

    func forget(_ id: UInt64) { state.withLock { $0.running[id] = nil } }
}

extension Call: CustomStringConvertible {
    /// The method and path of the endpoint, as declared.
    public var description: String { "Call(\(endpoint))" }
}

extension Call: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no argument, which could be a secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
