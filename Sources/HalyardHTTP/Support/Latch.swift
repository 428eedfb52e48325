/// A signal that is given once, from any thread, and that one waits for. Its copies are the same latch.
///
/// What comes before it is opened is seen by who waited, and thread sanitizer sees that too, for it is opened under a
/// lock. A continuation alone would do as much; but where one is resumed before it is awaited, the sanitizer does not see
/// what orders the two, and would report races that are none to everybody who tests with it. For the same reason the
/// continuation is a checked one: it is resumed in the standard library, where the sanitizer does not look, and not in
/// our own code.
///
/// It is of no generic type: who waits for a value keeps it beside, as ``Answer`` does.
package struct Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        /// Whoever takes it from here, under the lock, resumes it.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Opens it, unless it is open.
    ///
    /// - Parameter first: what is done before, once, by whoever is the first to open it; under the lock.
    package func open(_ first: () -> Void = {}) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isOpen else { return nil }
            first()
            state.isOpen = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits until it is open; for one. It does not look at whether the task is cancelled: whoever opens it sees to that.
    package nonisolated(nonsending) func wait() async {
        if state.withLock(\.isOpen) { return }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        // Where it was open by then the continuation ordered nothing that can be seen; this does.
        state.withLock { _ in }
    }
}
