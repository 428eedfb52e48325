import Halyard

/// A value or an error that becomes available later. It has one outcome, for any number of listeners, at any time.
///
/// ```swift
/// api.request(.login("foo@example.com", "bar")).future(of: Login.self)
///     .flatMap { api.request(.user($0.user.id)).future(of: User.self) }
///     .timeout(after: .seconds(10))
///     .recover { _ in User(id: "0", name: "guest") }
///     .onSuccess { print($0.name) }
///     .onFailure { print($0) }
/// ```
///
/// Handlers run on the main actor, or on the queue of the `on:` parameter. Each is called once, in the order in which
/// they were added. Closures that derive one future from another do not run on the main actor.
///
/// **Cancellation** propagates to the sources of a future: ``cancel()`` completes this future with
/// `HTTPError.cancelled`. The future that it derives from is cancelled too if nothing else listens to it. So a request
/// is cancelled when its last future is. Releasing a future does not cancel anything.
public final class Future<Value: Sendable>: Sendable {
    typealias Listener = @Sendable (Result<Value, any Error>, inout Trampoline) -> Void

    private struct Shared: Sendable {
        var state = FutureState<Value, Listener>()
        /// Stops listening to the source of this future; `nil` after the outcome is known.
        var upstream: CancellationStep?
        /// Actions to perform when the outcome is known. Unlike listeners they do not keep the future from being
        /// cancelled.
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
    func onCancel(_ cancel: @escaping @Sendable () -> CancellationStep?) {
        let result = shared.withLock { shared in
            if shared.state.result == nil { shared.upstream = CancellationStep(run: cancel) }
            return shared.state.result
        }
        // The future was cancelled before it had a source.
        guard case .failure(let error) = result, error == HTTPError.cancelled else { return }
        CancellationStep.run(from: cancel())
    }

    /// Completes this future with an error.
    ///
    /// - Returns: How to stop listening to its source.
    private func end(with error: HTTPError = .cancelled) -> CancellationStep? {
        let upstream = shared.withLock { $0.upstream }
        complete(.failure(error))
        return upstream
    }

    /// Completes this future with an error, and stops listening to its source.
    func expire(_ error: HTTPError) {
        CancellationStep.run(from: end(with: error))
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
        Trampoline.run { complete(result, &$0) }
    }

    /// Completes this future as a step of a trampoline, unless it has an outcome.
    func complete(_ result: Result<Value, any Error>, _ trampoline: inout Trampoline) {
        let (listeners, cleanups) = shared.withLock { shared -> ([Listener], [@Sendable () -> Void]) in
            guard let listeners = shared.state.complete(result) else { return ([], []) }
            defer { (shared.upstream, shared.cleanups) = (nil, []) }
            return (listeners, shared.cleanups)
        }
        for cleanup in cleanups { cleanup() }
        for listener in listeners { trampoline.add { listener(result, &$0) } }
    }

    /// Adds a listener, which is called once, on any thread.
    ///
    /// - Returns: The number with which ``removeListener(_:)`` removes it.
    @discardableResult
    func listen(_ listener: @escaping Listener) -> UInt64 {
        let id = reserve()
        listen(as: id, listener)
        return id
    }

    /// Returns a number for a listener before it is added, so that it can be removed before its first call.
    private func reserve() -> UInt64 { shared.withLock { $0.state.nextID() } }

    private func listen(as id: UInt64, _ listener: @escaping Listener) {
        if let known = shared.withLock({ $0.state.add(listener, as: id) }) { Trampoline.run { listener(known, &$0) } }
    }

    /// Removes a listener. After the last one is removed, the future is cancelled.
    ///
    /// - Returns: How to stop listening to the future's source, if it was cancelled.
    func removeListener(_ id: UInt64) -> CancellationStep? {
        shared.withLock { $0.state.remove(id) } ? end() : nil
    }

    /// Returns a future that derives from this one.
    ///
    /// - Parameters:
    ///   - progress: The progress of the new future. Defaults to the progress of this one.
    ///   - forward: Receives the outcome of this future, and completes the new one. It may set another source for
    ///     cancellation.
    /// - Returns: The new future.
    func derived<Other: Sendable>(
        progress: ProgressRelay? = nil,
        _ forward: @escaping @Sendable (Result<Value, any Error>, Future<Other>, inout Trampoline) -> Void
    ) -> Future<Other> {
        let future = Future<Other>(progress: progress ?? self.progress)
        // The order matters: `forward` may run at once or on another thread, and its cancellation source must win.
        let id = reserve()
        future.onCancel { self.removeListener(id) }
        listen(as: id) { result, trampoline in forward(result, future, &trampoline) }
        return future
    }

    /// Runs a handler on its queue, after handlers that were added before and after progress reports on that queue.
    func handle(
        on queueID: HandlerQueueID, _ handler: @escaping @Sendable (Result<Value, any Error>) async -> Void
    ) {
        listen { [self] result, _ in
            let job: HandlerQueue.Job = { [progress] in
                await progress.waitForProgress(on: queueID)
                await handler(result)
            }
            shared.withLock { $0.queues.enqueue(job, on: queueID) }?.start()
        }
    }
}

/// Stops listening to the source of a future. If the source has no other listener, it is cancelled, and the next step
/// is returned.
struct CancellationStep: Sendable {
    let run: @Sendable () -> CancellationStep?

    /// Runs a step and all that follow it.
    static func run(from first: CancellationStep?) {
        var next = first
        // A loop instead of a recursion: the depth of the stack must not depend on the length of the chain.
        while let step = next { next = step.run() }
    }
}
