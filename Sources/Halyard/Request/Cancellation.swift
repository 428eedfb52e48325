import HalyardHTTP

/// The cancellation of a request, for work that may go on after its end: the decoding of its response, a wait before
/// another request. Copies share one state.
package struct Cancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Lock(State())

    /// Whether the request was cancelled, possibly after its end.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Adds a handler, which is called once, if the request is cancelled from now on. Returns the number to pass to
    /// ``remove(_:)``.
    func add(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
    }

    func remove(_ id: UInt64) {
        let handler = state.withLock { $0.handlers.removeValue(forKey: id) }
        _ = handler  // released here, outside of the lock
    }

    func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }
}
