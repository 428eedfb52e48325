/// Where a future stands. Pure; what to do about it is returned.
struct FutureState<Value: Sendable, Listener: Sendable>: Sendable {
    private var listeners: [(id: UInt64, listener: Listener)] = []
    private var lastID: UInt64 = 0
    /// The outcome, once it is known; it never changes then.
    private(set) var result: Result<Value, any Error>?

    /// A number for a listener that is to be added.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a listener. Returns the outcome where it is known: then the listener is to be told at once.
    mutating func add(_ listener: Listener, as id: UInt64) -> Result<Value, any Error>? {
        if result == nil { listeners.append((id, listener)) }
        return result
    }

    /// Takes a listener away. True when it was the last one of a future that is still waited for: then nobody wants it.
    mutating func remove(_ id: UInt64) -> Bool {
        guard result == nil, let place = listeners.firstIndex(where: { $0.id == id }) else { return false }
        listeners.remove(at: place)
        return listeners.isEmpty
    }

    /// Sets the outcome. Returns the listeners to tell, in the order in which they came; nil when it had one before.
    mutating func complete(_ result: Result<Value, any Error>) -> [Listener]? {
        guard self.result == nil else { return nil }
        self.result = result
        defer { listeners = [] }
        return listeners.map { $0.listener }  // a key path would be made anew each time: a microsecond
    }
}
