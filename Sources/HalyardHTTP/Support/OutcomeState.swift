/// The state of a request or a future, and the observers of its outcome: not started, running or done. It has no side
/// effects: each change returns what the caller must do.
///
/// Its functions are inlinable, because other modules use it for each request and each future. Code that is not
/// specialized for their types looks them up at run time, and allocates more.
package struct OutcomeState<Outcome: Sendable, Observer: Sendable>: Sendable {
    @usableFromInline enum Phase: Sendable { case cold, running, done(Outcome) }

    package enum Action: Sendable {
        /// The caller must start the work.
        case start
        /// The outcome is known: the caller must notify the observer.
        case notify(Outcome)
        /// The observer is notified when the outcome is known.
        case wait
    }

    @usableFromInline var phase = Phase.cold
    @usableFromInline var observers: [(id: UInt64, observer: Observer)] = []
    @usableFromInline var lastID: UInt64 = 0
    /// Whether the work was started without an observer: it then continues when its last observer leaves.
    @usableFromInline var runsWithoutObservers = false

    @inlinable package init() {}

    @inlinable package var isCold: Bool { if case .cold = phase { true } else { false } }
    @inlinable package var isDone: Bool { if case .done = phase { true } else { false } }
    @inlinable package var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts cold work, which then runs with or without observers.
    @inlinable package mutating func start() -> Action {
        runsWithoutObservers = true
        return begin()
    }

    /// Returns a number for an observer before it is added, so that it can be removed before it is notified.
    @inlinable package mutating func reserve() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds an observer, unless the outcome is known. The first one starts the work.
    @inlinable package mutating func add(_ observer: Observer, as id: UInt64) -> Action {
        let action = begin()
        if case .notify = action { return action }
        observers.append((id, observer))
        return action
    }

    /// Removes an observer that no longer waits.
    ///
    /// - Returns: The observer, unless it was notified; and whether it was the last one, so that the work must be
    ///   cancelled.
    @inlinable package mutating func remove(_ id: UInt64) -> (observer: Observer?, isLast: Bool) {
        guard let place = observers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let observer = observers.remove(at: place).observer
        return (observer, observers.isEmpty && !runsWithoutObservers)
    }

    /// Records the outcome, also of work that has not started.
    ///
    /// - Returns: The observers to notify, in the order in which they were added. `nil` if there was an outcome before.
    @inlinable package mutating func complete(_ outcome: Outcome) -> [Observer]? {
        if isDone { return nil }
        phase = .done(outcome)
        defer { observers = [] }
        return observers.map { $0.observer }  // A key path would cost a microsecond.
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
