import Halyard

/// A value that comes later, or an error instead: once, for as many as want to know, however late they ask.
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
/// Handlers run on the main actor, or on the queue that `on:` names; each is
/// called once, in the order in which they were added. What derives one future from another runs off the main actor.
///
/// **Cancellation** goes upward: ``cancel()`` completes this future with `HTTPError.cancelled` and leaves the one it
/// stands on, which is cancelled as well when nobody else listens to it: so a request leaves the wire when the last
/// future of it is cancelled. Letting a future go cancels nothing.
public final class Future<Value: Sendable>: Sendable {
    typealias Listener = @Sendable (Result<Value, any Error>, inout Cascade) -> Void

    private struct Shared: Sendable {
        var state = FutureState<Value, Listener>()
        /// Leaves what this future stands on; gone once the outcome is known.
        var leave: Departure?
        /// What is done when the outcome is known. Unlike a listener it does not want it.
        var cleanups: [@Sendable () -> Void] = []
        var queues = HandlerQueues()
    }

    let progress: ProgressRelay
    private let shared = Lock(Shared())

    init(progress: ProgressRelay = ProgressRelay()) { self.progress = progress }

    /// A future whose value is known.
    public convenience init(value: Value) {
        self.init()
        complete(.success(value))
    }

    /// A future that has failed.
    public convenience init(error: any Error) {
        self.init()
        complete(.failure(error))
    }

    /// What an async closure returns or throws. Cancelling the future cancels the closure's task.
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

    /// Ends the wait: the outcome is `HTTPError.cancelled`, unless there is one already.
    public func cancel() { expire(.cancelled) }

    /// The outcome, where it is known.
    public var result: Result<Value, any Error>? { shared.withLock { $0.state.result } }
}

// Listening and completing.
extension Future {
    /// Says what cancelling this future does to what it stands on.
    func onCancel(_ leave: @escaping @Sendable () -> Departure?) {
        let result = shared.withLock { shared in
            if shared.state.result == nil { shared.leave = Departure(leave: leave) }
            return shared.state.result
        }
        // Cancelled before there was anything to leave.
        guard case .failure(let error) = result, error == HTTPError.cancelled else { return }
        var next = leave()
        while let departure = next { next = departure.leave() }
    }

    /// Completes this future before its time, and says how to leave what it stands on.
    private func depart(_ error: HTTPError = .cancelled) -> Departure? {
        let departure = shared.withLock { $0.leave }
        complete(.failure(error))
        return departure
    }

    /// Ends the wait with an error, and leaves what this future stands on.
    func expire(_ error: HTTPError) {
        var next = depart(error)
        // One after another rather than one inside another: a long chain needs no stack.
        while let departure = next { next = departure.leave() }
    }

    /// Does something when the outcome is known, without wanting it.
    func whenDone(_ action: @escaping @Sendable () -> Void) {
        let isDone = shared.withLock { shared in
            if shared.state.result == nil { shared.cleanups.append(action) }
            return shared.state.result != nil
        }
        if isDone { action() }
    }

    func complete(_ result: Result<Value, any Error>) {
        Cascade.run { complete(result, &$0) }
    }

    func complete(_ result: Result<Value, any Error>, _ cascade: inout Cascade) {
        let (listeners, cleanups) = shared.withLock { shared -> ([Listener], [@Sendable () -> Void]) in
            guard let listeners = shared.state.complete(result) else { return ([], []) }
            defer { (shared.leave, shared.cleanups) = (nil, []) }
            return (listeners, shared.cleanups)
        }
        for cleanup in cleanups { cleanup() }
        for listener in listeners { cascade.add { listener(result, &$0) } }
    }

    /// Adds a listener, told once, on any thread.
    @discardableResult
    func listen(_ listener: @escaping Listener) -> UInt64 {
        let id = reserve()
        listen(as: id, listener)
        return id
    }

    /// A number for a listener, so that how it leaves is known before it can be told anything.
    private func reserve() -> UInt64 { shared.withLock { $0.state.nextID() } }

    private func listen(as id: UInt64, _ listener: @escaping Listener) {
        if let known = shared.withLock({ $0.state.add(listener, as: id) }) { Cascade.run { listener(known, &$0) } }
    }

    /// Takes a listener away; a future that nobody listens to any more is cancelled, which goes on upward.
    func leave(_ id: UInt64) -> Departure? {
        shared.withLock { $0.state.remove(id) } ? depart() : nil
    }

    /// A future that this one completes, through `pass`; its cancellation comes back here, unless `pass` sends it on.
    func derived<Other: Sendable>(
        progress: ProgressRelay? = nil,
        _ pass: @escaping @Sendable (Result<Value, any Error>, Future<Other>, inout Cascade) -> Void
    ) -> Future<Other> {
        let future = Future<Other>(progress: progress ?? self.progress)
        // In this order: `pass` may run at once, or on another thread, and has the last word on where it goes.
        let id = reserve()
        future.onCancel { self.leave(id) }
        listen(as: id) { result, cascade in pass(result, future, &cascade) }
        return future
    }

    /// Runs a handler in its lane, behind those that were added before it, and after the progress that is delivered there.
    func handle(
        in lane: Lane, _ handler: @escaping @Sendable (Result<Value, any Error>) async -> Void
    ) {
        listen { [self] result, _ in
            let job: HandlerQueue.Job = { [progress] in
                await progress.endWatching(in: lane)
                await handler(result)
            }
            shared.withLock { $0.queues.put(job, in: lane) }?.start()
        }
    }
}

/// How a future leaves what it stands on. It gives the next such step, where that one has nobody left either.
struct Departure: Sendable {
    let leave: @Sendable () -> Departure?
}
