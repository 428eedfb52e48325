import Halyard

/// A value or an error that becomes available later. It has one outcome, for any number of listeners, at any time.
///
/// ```swift
/// api.request(.login("foo@example.com", "bar")).future(Login.self)
///     .flatMap { api.request(.user($0.user.id)).future(User.self) }
///     .timeout(after: .seconds(10))
///     .recover { _ in User(id: "0", name: "guest") }
///     .onSuccess { print($0.name) }
///     .onFailure { print($0) }
/// ```
///
/// Handlers run on the main actor, or on the queue of the `on:` parameter. Each is called once, in the order in which they
/// were added. Closures that derive one future from another do not run on the main actor.
///
/// **Cancellation** propagates to the sources of a future: ``cancel()`` completes this future with `HTTPError.cancelled`.
/// The future that it derives from is cancelled too if nothing else listens to it. So a request is cancelled when its last
/// future is. Releasing a future does not cancel anything.
public final class Future<Value: Sendable>: Sendable {
    typealias Listener = @Sendable (Result<Value, any Error>, inout Cascade) -> Void

    private struct Shared: Sendable {
        var state = FutureState<Value, Listener>()
        /// Stops listening to the source of this future; `nil` after the outcome is known.
        var leave: Departure?
        /// Actions to perform when the outcome is known. Unlike listeners they do not keep the future from being cancelled.
        var cleanups: [@Sendable () -> Void] = []
        var queues = HandlerQueues()
    }

    let progress: ProgressRelay
    private let shared = Lock(Shared())

    init(progress: ProgressRelay = ProgressRelay()) { self.progress = progress }

    /// Makes a future that has succeeded.
    ///
    /// - Parameter value: The value.
    public convenience init(value: Value) {
        self.init()
        complete(.success(value))
    }

    /// Makes a future that has failed.
    ///
    /// - Parameter error: The error.
    public convenience init(error: any Error) {
        self.init()
        complete(.failure(error))
    }

    /// Makes a future from an async closure, and starts it. Cancelling the future cancels the closure's task.
    ///
    /// - Parameter operation: Returns the value, or throws the error.
    public convenience init(_ operation: @escaping @Sendable () async throws -> Value) {
        self.init()
        let task = Task { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            complete(result)
        }
        onCancel {
            task.cancel()
            return nil
        }
    }

    /// Cancels the future. Its outcome is `HTTPError.cancelled`, unless it has one already.
    public func cancel() { expire(.cancelled) }

    /// The outcome; `nil` while it is not known.
    public var result: Result<Value, any Error>? { shared.withLock { $0.state.result } }
}

// Listening and completing.
extension Future {
    /// Sets how this future stops listening to its source when it is cancelled.
    func onCancel(_ leave: @escaping @Sendable () -> Departure?) {
        let result = shared.withLock { shared in
            if shared.state.result == nil { shared.leave = Departure(leave: leave) }
            return shared.state.result
        }
        // The future was cancelled before it had a source.
        guard case .failure(let error) = result, error == HTTPError.cancelled else { return }
        var next = leave()
        while let departure = next { next = departure.leave() }
    }

    /// Completes this future with an error.
    ///
    /// - Returns: How to stop listening to its source.
    private func depart(_ error: HTTPError = .cancelled) -> Departure? {
        let departure = shared.withLock { $0.leave }
        complete(.failure(error))
        return departure
    }

    /// Completes this future with an error, and stops listening to its source.
    func expire(_ error: HTTPError) {
        var next = depart(error)
        // A loop instead of a recursion: the depth of the stack must not depend on the length of the chain.
        while let departure = next { next = departure.leave() }
    }

    /// Performs an action when the outcome is known. The action does not keep the future from being cancelled.
    func whenDone(_ action: @escaping @Sendable () -> Void) {
        let isDone = shared.withLock { shared in
            if shared.state.result == nil { shared.cleanups.append(action) }
            return shared.state.result != nil
        }
        if isDone { action() }
    }

    /// Completes this future, unless it has an outcome.
    func complete(_ result: Result<Value, any Error>) {
        Cascade.run { complete(result, &$0) }
    }

    /// Completes this future as a step of a cascade, unless it has an outcome.
    func complete(_ result: Result<Value, any Error>, _ cascade: inout Cascade) {
        let (listeners, cleanups) = shared.withLock { shared -> ([Listener], [@Sendable () -> Void]) in
            guard let listeners = shared.state.complete(result) else { return ([], []) }
            defer { (shared.leave, shared.cleanups) = (nil, []) }
            return (listeners, shared.cleanups)
        }
        for cleanup in cleanups { cleanup() }
        for listener in listeners { cascade.add { listener(result, &$0) } }
    }

    /// Adds a listener, which is called once, on any thread.
    ///
    /// - Returns: The number with which ``leave(_:)`` removes it.
    @discardableResult
    func listen(_ listener: @escaping Listener) -> UInt64 {
        let id = reserve()
        listen(as: id, listener)
        return id
    }

    /// Returns a number for a listener before it is added, so that it can be removed before its first call.
    private func reserve() -> UInt64 { shared.withLock { $0.state.nextID() } }

    private func listen(as id: UInt64, _ listener: @escaping Listener) {
        if let known = shared.withLock({ $0.state.add(listener, as: id) }) { Cascade.run { listener(known, &$0) } }
    }

    /// Removes a listener. After the last one is removed, the future is cancelled.
    ///
    /// - Returns: How to stop listening to the future's source, if it was cancelled.
    func leave(_ id: UInt64) -> Departure? {
        shared.withLock { $0.state.remove(id) } ? depart() : nil
    }

    /// Returns a future that derives from this one.
    ///
    /// - Parameters:
    ///   - progress: The progress of the new future. Defaults to the progress of this one.
    ///   - pass: Receives the outcome of this future, and completes the new one. It may set another source for
    ///     cancellation.
    /// - Returns: The new future.
    func derived<Other: Sendable>(
        progress: ProgressRelay? = nil,
        _ pass: @escaping @Sendable (Result<Value, any Error>, Future<Other>, inout Cascade) -> Void
    ) -> Future<Other> {
        let future = Future<Other>(progress: progress ?? self.progress)
        // The order matters: `pass` may run at once or on another thread, and its cancellation source must win.
        let id = reserve()
        future.onCancel { self.leave(id) }
        listen(as: id) { result, cascade in pass(result, future, &cascade) }
        return future
    }

    /// Runs a handler on its queue, after handlers that were added before and after progress reports on that queue.
    func handle(
        in lane: Lane, _ handler: @escaping @Sendable (Result<Value, any Error>) async -> Void
    ) {
        listen { [self] result, _ in
            let job: HandlerQueue.Job = { [progress] in
                await progress.waitForProgress(in: lane)
                await handler(result)
            }
            shared.withLock { $0.queues.put(job, in: lane) }?.start()
        }
    }
}

/// Stops listening to the source of a future. If the source has no other listener, it is cancelled, and the next step is
/// returned.
struct Departure: Sendable {
    let leave: @Sendable () -> Departure?
}
