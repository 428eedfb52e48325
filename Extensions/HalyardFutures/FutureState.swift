/// The state of a future: a value without I/O. Its functions return what the future must do. The future keeps the
/// outcome itself.
struct FutureState<Listener: Sendable>: Sendable {
    private var listeners: [(id: UInt64, listener: Listener)] = []
    private var lastID: UInt64 = 0
    /// Whether the future has its outcome. That happens once.
    private(set) var isDone = false

    /// Returns a number for a new listener.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a listener.
    ///
    /// - Returns: Whether the future waits for its outcome. If not, the caller calls the listener itself.
    mutating func add(_ listener: Listener, as id: UInt64) -> Bool {
        if !isDone { listeners.append((id, listener)) }
        return !isDone
    }

    /// Removes a listener.
    ///
    /// - Returns: The listener, if it was waiting; and whether the future has no outcome and no listener any more, and is
    ///   to be cancelled.
    mutating func remove(_ id: UInt64) -> (listener: Listener?, isLast: Bool) {
        guard !isDone, let place = listeners.firstIndex(where: { $0.id == id }) else { return (nil, false) }
        let listener = listeners.remove(at: place).listener
        return (listener, listeners.isEmpty)
    }

    /// Records that the future has its outcome.
    ///
    /// - Returns: The listeners to call, in the order in which they were added; `nil` if there was an outcome before.
    mutating func complete() -> [Listener]? {
        if isDone { return nil }
        isDone = true
        defer { listeners = [] }
        return listeners.map { $0.listener }  // A key path would cost a microsecond.
    }
}
