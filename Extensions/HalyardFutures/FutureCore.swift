import Halyard
import HalyardHTTP

/// The part of a future that does not depend on the type of its value. Copies share one state.
///
/// It is not generic because the compiler does not specialize the code of ``Future`` for the types of a program. Such
/// code finds types at run time, and allocates more.
///
/// Closures are released outside the lock: one may hold the last reference to an object whose `deinit` uses the future.
struct FutureCore: Sendable {
    /// A closure to call when the future has its outcome. It is in a structure because a generic list of closures
    /// allocates a wrapper for each.
    struct Listener: Sendable {
        let call: @Sendable (inout Trampoline) -> Void
    }

    private struct Shared: Sendable {
        var state = OutcomeState<Void, Listener>(isStarted: true)
        /// Stops listening to the source of the future; `nil` after the outcome is known.
        var upstream: CancellationStep?
        /// Actions to perform when the outcome is known. Unlike listeners they do not keep the future from being
        /// cancelled.
        var cleanups: [@Sendable () -> Void] = []
        var queues = HandlerQueues()
    }

    private let shared = Lock(Shared())

    /// Whether the future has its outcome. Everything that ``complete(_:_:)`` stored is then visible.
    var isDone: Bool { shared.withLock { $0.state.isDone } }

    /// Completes the future, as a step of a trampoline, unless it has an outcome. `store` stores the outcome. It is
    /// called at most once, under the lock. Returns how to stop listening to the source of the future; `nil` without a
    /// source, and if the future had an outcome.
    @discardableResult
    func complete(_ trampoline: inout Trampoline, _ store: () -> Void) -> CancellationStep? {
        typealias End = (
            listeners: FIFO<OutcomeState<Void, Listener>.Entry>, upstream: CancellationStep?,
            cleanups: [@Sendable () -> Void]
        )
        let (listeners, upstream, cleanups) = shared.withLock { shared -> End in
            guard let listeners = shared.state.complete(()) else { return (FIFO(), nil, []) }
            store()
            defer { (shared.upstream, shared.cleanups) = (nil, []) }
            return (listeners, shared.upstream, shared.cleanups)
        }
        for cleanup in cleanups { cleanup() }
        for (_, listener) in listeners { trampoline.add(listener) }
        return upstream
    }
}

// Listening.
extension FutureCore {
    /// Returns a number for a listener before it is added, so that it can be removed before its first call.
    func reserve() -> UInt64 { shared.withLock { $0.state.nextID() } }

    /// Adds a listener, or calls it if the outcome is known.
    func listen(as id: UInt64, _ call: @escaping @Sendable (inout Trampoline) -> Void) {
        if case .notify = shared.withLock({ $0.state.add(Listener(call: call), as: id) }) { Trampoline.run(call) }
    }

    /// Removes a listener. Returns whether it was the last one of a future without an outcome, which is then to be
    /// cancelled.
    func removeListener(_ id: UInt64) -> Bool {
        let (listener, isLast) = shared.withLock { $0.state.remove(id) }
        _ = listener
        return isLast
    }

    /// Performs an action when the outcome is known.
    func whenDone(_ action: @escaping @Sendable () -> Void) {
        let isDone = shared.withLock { shared in
            if !shared.state.isDone { shared.cleanups.append(action) }
            return shared.state.isDone
        }
        if isDone { action() }
    }

    /// Runs a handler on its queue when the outcome is known, after the handlers that were added before. It enters the
    /// queue at once. The first of a queue is also a listener, which starts the queue.
    func handle(on id: HandlerQueueID, _ handler: @escaping HandlerQueues.Handler) {
        let start: @Sendable (inout Trampoline) -> Void = { _ in
            Task { await HandlerQueues.run(handler) { shared.withLock { $0.queues.next(of: id) } } }
        }
        let action = shared.withLock { shared -> OutcomeState<Void, Listener>.Action in
            guard shared.queues.add(handler, to: id) else { return .wait }
            return shared.state.add(Listener(call: start), as: shared.state.nextID())
        }
        if case .notify = action { Trampoline.run(start) }
    }
}

// Cancelling.
extension FutureCore {
    /// Sets how the future stops listening to its source. Returns `false` if the outcome is known already. The step is
    /// not kept then.
    func setUpstream(_ step: CancellationStep) -> Bool {
        let (isDone, replaced) = shared.withLock { shared -> (Bool, CancellationStep?) in
            if shared.state.isDone { return (true, nil) }
            defer { shared.upstream = step }
            return (false, shared.upstream)
        }
        _ = replaced
        return !isDone
    }
}

/// Stops listening to the source of a future. If the source has no other listener, it is cancelled, and the next step
/// is returned.
struct CancellationStep: Sendable {
    let run: @Sendable () -> CancellationStep?

    static func run(from first: CancellationStep?) {
        var next = first
        // A loop instead of a recursion: the depth of the stack must not depend on the length of the chain.
        while let step = next { next = step.run() }
    }
}

/// The steps that follow from completing a future, executed one after another.
///
/// A future that completes another adds a step instead of calling it. So the depth of the stack does not depend on the
/// length of a chain.
struct Trampoline {
    private var steps = FIFO<FutureCore.Listener>()

    private init() {}

    mutating func add(_ step: FutureCore.Listener) { steps.append(step) }

    /// Executes a step and all steps that follow from it.
    static func run(_ first: (inout Trampoline) -> Void) {
        var trampoline = Trampoline()
        first(&trampoline)
        while let step = trampoline.steps.removeFirst() { step.call(&trampoline) }
    }
}
