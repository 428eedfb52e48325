/// The wait of one task for a result from another task or thread. Cancelling the task ends the wait at once with
/// `CancellationError`.
///
/// Only the first result counts. So a list of waiters may contain one whose task is cancelled: ``end(with:)`` returns
/// `false` for it.
package struct CancellableWaiter<Value: Sendable>: Sendable {
    private let promise = OneShot<Result<Value, any Error>>()

    package init() {}

    /// Ends the wait, also before it has begun.
    ///
    /// - Returns: Whether this is the first result. `false` after a cancellation.
    @discardableResult
    package func end(with result: Result<Value, any Error>) -> Bool { promise.fulfill(result) }

    /// Waits for the result. One task may call it, once.
    ///
    /// - Parameter onCancel: Runs before a cancellation ends the wait, for example to remove the waiter from a list. If
    ///   the task is cancelled already, it runs at once.
    package nonisolated(nonsending) func result(
        onCancel: @Sendable () -> Void = {}
    ) async -> Result<Value, any Error> {
        await withTaskCancellationHandler {
            await promise.take()
        } onCancel: {
            onCancel()
            promise.fulfill(.failure(CancellationError()))
        }
    }

    /// Waits for the result, and returns its value. See ``result(onCancel:)``.
    ///
    /// - Throws: The error of the result.
    package nonisolated(nonsending) func value(onCancel: @Sendable () -> Void = {}) async throws -> Value {
        try await result(onCancel: onCancel).get()
    }
}
