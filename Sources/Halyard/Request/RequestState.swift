/// Where a request stands: cold, on its way, or done. Pure; what to do about it is returned.
struct RequestState<Outcome: Sendable, Reader: Sendable>: Sendable {
    private enum Phase: Sendable { case cold, running, done(Outcome) }

    enum Action: Sendable {
        /// The request is to be started, by whoever caused this.
        case start
        /// The outcome is known: tell the reader.
        case tell(Outcome)
        /// The reader will be told when the outcome is known.
        case wait
    }

    private var phase = Phase.cold
    private var readers: [(id: UInt64, reader: Reader)] = []
    private var lastID: UInt64 = 0
    /// Somebody started it without reading it: then it goes on when the last reader leaves.
    private var isPinned = false

    var isCold: Bool { if case .cold = phase { true } else { false } }
    var isDone: Bool { outcome != nil }
    var outcome: Outcome? { if case .done(let outcome) = phase { outcome } else { nil } }

    /// Starts it, if nobody has, to run whether or not anybody reads it.
    mutating func start() -> Action {
        isPinned = true
        return begin()
    }

    /// Adds a reader, whose first one starts the request.
    mutating func add(_ reader: Reader) -> (id: UInt64, action: Action) {
        let action = begin()
        lastID += 1
        if case .tell = action { return (lastID, action) }
        readers.append((lastID, reader))
        return (lastID, action)
    }

    /// Takes away a reader that will not wait any longer. Returns it unless it has been told, and whether it was the
    /// last one, so that the request is to be called off.
    mutating func remove(_ id: UInt64) -> (reader: Reader?, isLast: Bool) {
        guard let place = readers.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let reader = readers.remove(at: place).reader
        return (reader, readers.isEmpty && !isPinned)
    }

    /// Ends it, also before it began. Returns the readers to tell, in the order in which they came, each once; nil when
    /// it had ended before.
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
        case .done(let outcome): return .tell(outcome)
        }
    }
}
