/// The state of a request: not started, running or done. It has no side effects: each change returns what the caller
/// must do.
struct RequestState<Outcome: Sendable, Observer: Sendable>: Sendable {
    private enum Phase: Sendable { case cold, running, done(Outcome) }

    enum Action: Sendable {
        /// The caller must start the request.
        case start
        /// The outcome is known: the caller must notify the observer.
        case notify(Outcome)
        /// The observer is notified when the outcome is known.
        case wait
    }

    private var phase = Phase.cold
    private var observers: [(id: UInt64, observer: Observer)] = []
    private var lastID: UInt64 = 0
    /// Whether the request was started without an observer: it then continues when its last observer leaves.
    private var runsWithoutObservers = false

    var isCold: Bool { if case .cold = phase { true } else { false } }
    var isDone: Bool { outcome != nil }
    var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts a cold request, which then runs with or without observers.
    mutating func start() -> Action {
        runsWithoutObservers = true
        return begin()
    }

    /// Adds an observer. The first one starts the request.
    mutating func add(_ observer: Observer) -> (id: UInt64, action: Action) {
        let action = begin()
        lastID += 1
        if case .notify = action { return (lastID, action) }
        observers.append((lastID, observer))
        return (lastID, action)
    }

    /// Removes an observer that no longer waits.
    ///
    /// - Returns: The observer, unless it was notified; and whether it was the last one, so that the request must be
    ///   cancelled.
    mutating func remove(_ id: UInt64) -> (observer: Observer?, isLast: Bool) {
        guard let place = observers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let observer = observers.remove(at: place).observer
        return (observer, observers.isEmpty && !runsWithoutObservers)
    }

    /// Ends the request, also one that has not started.
    ///
    /// - Returns: The observers to notify, in the order in which they were added. `nil` when the request had ended
    ///   already.
    mutating func complete(_ outcome: Outcome) -> [Observer]? {
        if case .done = phase { return nil }
        phase = .done(outcome)
        defer { observers = [] }
        return observers.map { $0.observer }  // A key path would cost a microsecond.
    }

    private mutating func begin() -> Action {
        switch phase {
        case .cold:
            phase = .running
            return .start
        case .running: return .wait
        case .done(let outcome): return .notify(outcome)
        }
    }
}
