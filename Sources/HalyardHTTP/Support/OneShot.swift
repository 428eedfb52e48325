/// A single-use promise that can be fulfilled from any thread. Copies share one state. For `@inlinable` see ``Lock``.
@usableFromInline package struct OneShot<Value: Sendable>: Sendable {
    @usableFromInline let latch = Latch()
    @usableFromInline let value = Lock<Value?>(nil)

    @inlinable package init() {}

    /// Fulfils the promise. Only the first value counts. Returns whether this is the first value.
    @discardableResult
    @inlinable package func fulfill(_ value: Value) -> Bool {
        latch.open { self.value.withLock { $0 = value } }
    }

    /// Waits for the value and takes it. One task may call it, once.
    ///
    /// It does not observe cancellation: the code that fulfils the promise does.
    @inlinable package nonisolated(nonsending) func take() async -> Value {
        while true {
            await latch.wait()
            if let value = value.withLock({ $0.take() }) { return value }
        }
    }
}

/// A single-use signal that can be opened from any thread and that one task waits for. Copies share one state.
///
/// A lock guards the state, so that thread sanitizer sees that everything before ``open(_:)`` happens before the end of
/// ``wait()``. A continuation that is resumed before it is awaited is not enough: the sanitizer does not see its
/// ordering and reports false races in every program that is tested with it. The continuation is a checked one, because
/// those are resumed inside the standard library, which the sanitizer does not inspect.
///
/// It is not generic. ``OneShot`` adds a value.
@usableFromInline package struct Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        /// The code that takes it, under the lock, resumes it.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    @usableFromInline package init() {}

    /// Opens the latch. Later calls do nothing. `first` runs under the lock before the latch opens, if this call is the
    /// first. Returns whether this call is the first.
    @discardableResult
    @usableFromInline package func open(_ first: () -> Void = {}) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isOpen else { return (false, nil) }
            first()
            state.isOpen = true
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isFirst
    }

    /// Waits until the latch is open. One task may wait. It does not observe cancellation: the code that opens the
    /// latch does.
    @usableFromInline package nonisolated(nonsending) func wait() async {
        if state.withLock(\.isOpen) { return }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        // If the latch was open already, the continuation ordered nothing that the sanitizer sees. The lock does.
        state.withLock { _ in }
    }
}

/// The wait of one task for a result from another task or thread. Cancelling the task ends the wait at once with
/// `CancellationError`.
///
/// Only the first result counts. So a list of waiters may contain one whose task is cancelled: ``end(with:)`` returns
/// `false` for it.
@usableFromInline package struct CancellableWaiter<Value: Sendable>: Sendable {
    @usableFromInline let promise = OneShot<Result<Value, any Error>>()

    @inlinable package init() {}

    /// Ends the wait, also before it has begun. Returns whether this is the first result. `false` after a cancellation.
    @discardableResult
    @inlinable package func end(with result: Result<Value, any Error>) -> Bool { promise.fulfill(result) }

    /// Waits for the result. One task may call it, once. `onCancel` runs before a cancellation ends the wait, for
    /// example to remove the waiter from a list. If the task is cancelled already, it runs at once.
    @inlinable package nonisolated(nonsending) func result(
        onCancel: @Sendable () -> Void = {}
    ) async -> Result<Value, any Error> {
        await withTaskCancellationHandler {
            await promise.take()
        } onCancel: {
            onCancel()
            promise.fulfill(.failure(CancellationError()))
        }
    }

    /// Waits for the result, and returns its value. See ``result(onCancel:)``. Throws the error of the result.
    @inlinable package nonisolated(nonsending) func value(onCancel: @Sendable () -> Void = {}) async throws -> Value {
        try await result(onCancel: onCancel).get()
    }
}
