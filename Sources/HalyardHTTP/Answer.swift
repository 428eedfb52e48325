/// A value that one side gives, from any thread, and the other waits for.
///
/// It is handed over under a lock. A continuation would carry it as well; but where one is resumed before it is awaited,
/// thread sanitizer does not see what orders the two, and would report races that are none to everybody who tests with
/// it. Its copies are the same answer.
package struct Answer<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var isGiven = false
        /// Unsafe, and sound: whoever takes it from here, under the lock, resumes it.
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Gives the value: the first counts, and any other is let go.
    package func give(_ value: Value) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard !state.isGiven else { return nil }
            state.isGiven = true
            state.value = value
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits for the value, and takes it; for one, and once. It does not look at whether the task is cancelled: whoever
    /// gives the value sees to that.
    package nonisolated(nonsending) func take() async -> Value {
        while true {
            if let value = state.withLock({ $0.value.take() }) { return value }
            await withUnsafeContinuation { continuation in
                let isThere = state.withLock { state in
                    if !state.isGiven { state.waiter = continuation }
                    return state.isGiven
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
