import HalyardHTTP

/// What a request or a future knows about its outcome, and the observers that wait for it. It has no side effects: each
/// change returns what the caller must do. For `@inlinable` see `Lock`.
@usableFromInline package struct OutcomeState<Outcome: Sendable, Observer: Sendable>: Sendable {
    @usableFromInline enum Phase: Sendable { case cold, running, done(Outcome) }

    @usableFromInline package enum Action: Sendable {
        /// The caller must start the request.
        case start
        /// The outcome is known: the caller must notify the observer.
        case notify(Outcome)
        /// The observer is notified when the outcome is known.
        case wait
    }

    @usableFromInline package typealias Entry = (id: UInt64, observer: Observer)

    @usableFromInline var phase: Phase
    @usableFromInline var observers: FIFO<Entry>
    @usableFromInline var lastID: UInt64
    /// Whether the request was started without an observer: it then continues when its last observer leaves.
    @usableFromInline var runsWithoutObservers: Bool

    /// Makes the state of a request that its first observer starts; or of a future, which has started already.
    @inlinable package init(isStarted: Bool = false) {
        phase = isStarted ? .running : .cold
        // Initial values beside the declarations would be functions that are not inlined.
        (observers, lastID, runsWithoutObservers) = (FIFO(), 0, false)
    }

    var isCold: Bool { if case .cold = phase { true } else { false } }
    @inlinable package var isDone: Bool { outcome != nil }
    @inlinable var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts a cold request, which then runs with or without observers.
    mutating func start() -> Action {
        runsWithoutObservers = true
        return begin()
    }

    /// Returns a number for an observer before it is added, so that it can be removed before it is notified.
    @inlinable package mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds an observer with a number. The first one starts the request.
    @inlinable package mutating func add(_ observer: Observer, as id: UInt64) -> Action {
        let action = begin()
        if case .notify = action { return action }
        observers.append((id, observer))
        return action
    }

    /// Removes an observer that no longer waits. Returns the observer, unless it was notified; and whether it was the
    /// last one, so that the request or the future must be cancelled.
    @inlinable package mutating func remove(_ id: UInt64) -> (observer: Observer?, isLast: Bool) {
        guard let removed = observers.removeFirst(where: { $0.id == id }) else { return (nil, false) }
        return (removed.observer, observers.isEmpty && !runsWithoutObservers)
    }

    /// Records the outcome, also of a request that has not started. Returns the observers to notify, in the order in
    /// which they were added. `nil` if there was an outcome before.
    @inlinable package mutating func complete(_ outcome: Outcome) -> FIFO<Entry>? {
        if case .done = phase { return nil }
        phase = .done(outcome)
        defer { observers = FIFO() }
        return observers
    }

    @inlinable mutating func begin() -> Action {
        switch phase {
        case .cold:
            phase = .running
            return .start
        case .running: return .wait
        case .done(let outcome): return .notify(outcome)
        }
    }
}
