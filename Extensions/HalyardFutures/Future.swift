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
/// `HTTPError.cancelled`. The future that it derives from is also cancelled if nothing else listens to it. Therefore a
/// request is cancelled when its last future is. Releasing a future does not cancel anything.
public final class Future<Value: Sendable>: Sendable {
    typealias Listener = @Sendable (Result<Value, any Error>, inout Trampoline) -> Void

    let progress: ProgressRelay
    private let core = FutureCore()
    /// The outcome; `nil` while it is not known.
    ///
    /// `nonisolated(unsafe)` is sound: it is written once, under the lock of ``core``, and read only after ``core`` has
    /// said, under the same lock, that the future is done, or by a listener that it then calls.
    private nonisolated(unsafe) var outcome: Result<Value, any Error>?

    init(progress: ProgressRelay = ProgressRelay()) { self.progress = progress }

    /// Creates a future that has succeeded.
    public convenience init(value: Value) {
        self.init()
        complete(.success(value))
    }

    /// Creates a future that has failed.
    public convenience init(error: any Error) {
        self.init()
        complete(.failure(error))
    }

    /// Creates a future from an async closure and starts it. Cancelling the future cancels the closure's task.
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

    /// Cancels the future. Its outcome is `HTTPError.cancelled`, unless it already has one.
    public func cancel() { expire(.cancelled) }

    /// The outcome; `nil` until it is known.
    public var result: Result<Value, any Error>? { core.isDone ? outcome : nil }
}

// Completing.
extension Future {
    /// Completes this future, unless it has an outcome.
    func complete(_ result: Result<Value, any Error>) {
        Trampoline.run { complete(result, &$0) }
    }

    /// Completes this future as a step of a trampoline, unless it has an outcome.
    func complete(_ result: Result<Value, any Error>, _ trampoline: inout Trampoline) {
        core.complete(&trampoline) { outcome = result }
    }

    /// Performs an action when the outcome is known. The action does not keep the future from being cancelled.
    func whenDone(_ action: @escaping @Sendable () -> Void) { core.whenDone(action) }

    /// Completes this future with an error, and stops listening to its source.
    func expire(_ error: HTTPError) { CancellationStep.run(from: end(with: error)) }

    /// Completes this future with an error, unless it has an outcome. Returns how to stop listening to its source.
    private func end(with error: HTTPError) -> CancellationStep? {
        var upstream: CancellationStep?
        Trampoline.run { upstream = core.complete(&$0) { outcome = .failure(error) } }
        return upstream
    }

    /// Sets how this future stops listening to its source when it is cancelled.
    func onCancel(_ cancel: @escaping @Sendable () -> CancellationStep?) {
        let step = CancellationStep(run: cancel)
        if core.setUpstream(step) { return }
        // The future was cancelled before it had a source.
        guard case .failure(let error) = outcome, error == HTTPError.cancelled else { return }
        CancellationStep.run(from: step)
    }
}

// Listening.
extension Future {
    /// Adds a listener, which is called once, on any thread. Returns the number with which ``removeListener(_:)``
    /// removes it.
    @discardableResult
    func listen(_ listener: @escaping Listener) -> UInt64 {
        let id = core.reserve()
        listen(as: id, listener)
        return id
    }

    private func listen(as id: UInt64, _ listener: @escaping Listener) {
        core.listen(as: id) { [self] trampoline in
            if let outcome { listener(outcome, &trampoline) }
        }
    }

    /// Removes a listener. After the last one is removed, the future is cancelled. Returns how to stop listening to the
    /// future's source, if it was cancelled.
    func removeListener(_ id: UInt64) -> CancellationStep? {
        core.removeListener(id) ? end(with: .cancelled) : nil
    }

    /// Returns a future that derives from this one, with its progress by default. `forward` receives the outcome of
    /// this future, and completes the new one. It may set another source for cancellation.
    func derived<Other: Sendable>(
        progress: ProgressRelay? = nil,
        _ forward: @escaping @Sendable (Result<Value, any Error>, Future<Other>, inout Trampoline) -> Void
    ) -> Future<Other> {
        let future = Future<Other>(progress: progress ?? self.progress)
        // The order matters: `forward` may run at once or on another thread, and its cancellation source must win.
        let id = core.reserve()
        future.onCancel { self.removeListener(id) }
        listen(as: id) { result, trampoline in forward(result, future, &trampoline) }
        return future
    }

    /// Calls a handler in its place, after the progress reports and the earlier handlers there.
    func handle(_ handler: Handler<Result<Value, any Error>>) -> Future {
        core.handle(on: handler.queueID) { [self] next in
            await progress.waitForProgress(on: handler.queueID)
            if let outcome { await handler.call(with: outcome, then: next) }
        }
        return self
    }
}

/// Completes a ``Future`` once.
///
/// ```swift
/// let promise = Promise<Image>()
/// loader.load { image in promise.succeed(image) }
/// return promise.future
/// ```
///
/// If a promise is released before it is completed, its future fails with `HTTPError.cancelled`.
public final class Promise<Value: Sendable>: Sendable {
    /// The future that this promise completes.
    public let future: Future<Value>

    /// Creates a promise and its future.
    public init() { future = Future() }

    deinit { future.complete(.failure(HTTPError(.cancelled, reason: "its promise was released without an outcome"))) }

    /// Completes the future with a value. Only the first completion has an effect.
    public func succeed(_ value: Value) { future.complete(.success(value)) }

    /// Completes the future with an error. Only the first completion has an effect.
    public func fail(_ error: any Error) { future.complete(.failure(error)) }

    /// Completes the future with a value or an error. Only the first completion has an effect.
    public func complete(_ result: Result<Value, any Error>) { future.complete(result) }

    /// Calls a closure on any thread when the future is cancelled, to stop the work that it waits for.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        future.onCancel {
            handler()
            return nil
        }
    }
}
