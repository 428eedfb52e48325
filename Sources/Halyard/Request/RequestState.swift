/// The state of a request: cold, running or done. It has no effects: each change returns what the caller must do.
struct RequestState<Outcome: Sendable, Reader: Sendable>: Sendable {
    private enum Phase: Sendable { case cold, running, done(Outcome) }

    enum Action: Sendable {
        /// The caller must start the request.
        case start
        /// The outcome is known: the caller must notify the reader.
        case notify(Outcome)
        /// The reader is notified when the outcome is known.
        case wait
    }

    private var phase = Phase.cold
    private var readers: [(id: UInt64, reader: Reader)] = []
    private var lastID: UInt64 = 0
    /// Whether the request was started without a reader: it then continues when its last reader leaves.
    private var isPinned = false

    var isCold: Bool { if case .cold = phase { true } else { false } }
    var isDone: Bool { outcome != nil }
    var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts a cold request, which then runs with or without readers.
    mutating func start() -> Action {
        isPinned = true
        return begin()
    }

    /// Adds a reader. The first one starts the request.
    mutating func add(_ reader: Reader) -> (id: UInt64, action: Action) {
        let action = begin()
        lastID += 1
        if case .notify = action { return (lastID, action) }
        readers.append((lastID, reader))
        return (lastID, action)
    }

    /// Removes a reader that no longer waits.
    ///
    /// - Returns: The reader, unless it was notified; and whether it was the last one, so that the request must be
    ///   cancelled.
    mutating func remove(_ id: UInt64) -> (reader: Reader?, isLast: Bool) {
        guard let place = readers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let reader = readers.remove(at: place).reader
        return (reader, readers.isEmpty && !isPinned)
    }

    /// Ends the request, also one that has not started.
    ///
    /// - Returns: The readers to notify, in the order in which they were added. Nil when the request had ended already.
    mutating func complete(_ outcome: Outcome) -> [Reader]? {
        if case .done = phase { return nil }
        phase = .done(outcome)
        defer { readers = [] }
        return readers.map(\.reader)
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
