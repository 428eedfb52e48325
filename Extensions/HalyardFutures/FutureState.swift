/// The state of a future: a value without I/O. Its functions return what the future must do.
struct FutureState<Value: Sendable, Listener: Sendable>: Sendable {
    private var listeners: [(id: UInt64, listener: Listener)] = []
    private var lastID: UInt64 = 0
    /// The outcome; `nil` while it is not known. It is set once.
    private(set) var result: Result<Value, any Error>?

    /// Returns a number for a new listener.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a listener.
    ///
    /// - Returns: The outcome if it is known. The caller then calls the listener itself.
    mutating func add(_ listener: Listener, as id: UInt64) -> Result<Value, any Error>? {
        if result == nil { listeners.append((id, listener)) }
        return result
    }

    /// Removes a listener.
    ///
    /// - Returns: Whether the future has no outcome and no listener any more, and is to be cancelled.
    mutating func remove(_ id: UInt64) -> Bool {
        guard result == nil, let place = listeners.firstIndex(where: { $0.id == id }) else { return false }
        listeners.remove(at: place)
        return listeners.isEmpty
    }

    /// Sets the outcome.
    ///
    /// - Returns: The listeners to call, in the order in which they were added; `nil` if there was an outcome before.
    mutating func complete(_ result: Result<Value, any Error>) -> [Listener]? {
        guard self.result == nil else { return nil }
        self.result = result
        defer { listeners = [] }
        return listeners.map { $0.listener }  // A key path would cost a microsecond.
    }
}
