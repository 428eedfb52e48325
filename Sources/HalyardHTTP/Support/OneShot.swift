/// A single-use promise that can be fulfilled from any thread, and that one task waits for. Copies share one state. For
/// `@inlinable` see ``Lock``.
///
/// A lock guards the state, so that thread sanitizer sees that everything before ``fulfill(_:)`` happens before the end
/// of ``wait()``. A continuation that is resumed before it is awaited is not enough: the sanitizer does not see its
/// ordering and reports false races in every program that is tested with it. The continuation is a checked one, because
/// those are resumed inside the standard library, which the sanitizer does not inspect.
@usableFromInline package struct OneShot<Value: Sendable>: Sendable {
    @usableFromInline struct State: Sendable {
        @usableFromInline var isFulfilled: Bool
        @usableFromInline var value: Value?
        /// The code that takes it, under the lock, resumes it.
        @usableFromInline var waiter: CheckedContinuation<Void, Never>?

        // Initial values beside the declarations would be functions that are not inlined, here and below.
        @inlinable init() { (isFulfilled, value, waiter) = (false, nil, nil) }
    }

    @usableFromInline let state: Lock<State>

    @inlinable package init() { state = Lock(State()) }

    /// Fulfils the promise. Only the first value counts. Returns whether this is the first value.
    @discardableResult
    @inlinable package func fulfill(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isFulfilled else { return (false, nil) }
            (state.isFulfilled, state.value) = (true, value)
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isFirst
    }

    /// Waits until there is a value, which stays. One task may wait at a time.
    ///
    /// It does not observe cancellation: the code that fulfils the promise does.
    @inlinable package nonisolated(nonsending) func wait() async {
        if state.withLock({ $0.isFulfilled }) { return }
        await withCheckedContinuation { continuation in
            let isFulfilled = state.withLock { state in
                if !state.isFulfilled { state.waiter = continuation }
                return state.isFulfilled
            }
            if isFulfilled { continuation.resume() }
        }
        // If there was a value already, the continuation ordered nothing that the sanitizer sees. The lock does.
        state.withLock { _ in }
    }

    /// Waits for the value and takes it. Call it once.
    @inlinable package nonisolated(nonsending) func take() async -> Value {
        while true {
            await wait()
            if let value = state.withLock({ $0.value.take() }) { return value }
        }
    }
}

/// A signal that can be opened from any thread, and that one task waits for.
package typealias Latch = OneShot<Void>

extension OneShot<Void> {
    /// Opens the latch. Later calls do nothing.
    package func open() { fulfill(()) }
}

/// The wait of one task for a result from another task or thread. Cancelling the task ends the wait at once with
/// `CancellationError`.
///
/// Only the first result counts. So a list of waiters may contain one whose task is cancelled: ``end(with:)`` returns
/// `false` for it.
@usableFromInline package struct CancellableWaiter<Value: Sendable>: Sendable {
    @usableFromInline let promise: OneShot<Result<Value, any Error>>

    @inlinable package init() { promise = OneShot() }

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
