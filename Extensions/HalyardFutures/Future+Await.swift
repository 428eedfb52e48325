public import Dispatch
import Halyard
import HalyardHTTP

extension Future {
    /// The value. The wait ends after the progress handlers of the chain's requests have returned.
    ///
    /// Cancelling the task ends the wait at once with `CancellationError`. It also cancels the future if nothing else
    /// listens to it.
    public var value: Value {
        get async throws {
            let waiter = CancellableWaiter<Void>()
            let id = listen { _, _ in waiter.end(with: .success(())) }
            try await waiter.value { CancellationStep.run(from: removeListener(id)) }
            guard let result else { throw CancellationError() }
            // After a cancellation, the wait does not include handlers.
            if case .failure(let error) = result, error is CancellationError || error == HTTPError.cancelled {
                throw error
            }
            await progress.waitForProgress(on: nil)
            return try result.get()
        }
    }

    /// Blocks the thread until the future has an outcome, for example in a command-line tool or a test.
    ///
    /// It does not wait for handlers, so the main thread can wait for the value of a request. Handlers on the main
    /// actor, including progress handlers, run after `get()` has returned. Do not wait on the main thread for a future
    /// that needs the main actor, for example because its provider has a `@MainActor` hook: the thread would block
    /// forever.
    ///
    /// - Throws: The future's error, or ``HTTPError`` of kind `timedOut` after the timeout, which does not cancel the
    ///   future.
    @available(*, noasync, message: "await the future's value instead: blocking in a task can deadlock")
    public func get(timeout: Duration? = nil) throws -> Value {
        let semaphore = DispatchSemaphore(value: 0)
        listen { _, _ in semaphore.signal() }
        guard let timeout else {
            semaphore.wait()
            return try (result ?? .failure(HTTPError.cancelled)).get()
        }
        _ = semaphore.wait(timeout: .now() + timeout.seconds)
        guard let result else {
            throw HTTPError(
                .timedOut, reason: "the future had no outcome within \(timeout)",
                suggestion: "Raise the timeout. Do not block a thread that the future needs, such as the main thread")
        }
        return try result.get()
    }
}

// Handlers, which are called once. Without `on:` they run on the main actor. Each function returns this future, for
// chaining. If the provider's `shouldContinue` returns `false`, the error is `HTTPError(.stopped)`.
extension Future {
    /// Calls a handler with the value if the future succeeds.
    @discardableResult
    public func onSuccess(_ handler: @escaping @MainActor (Value) -> Void) -> Future {
        onComplete { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler on a queue with the value if the future succeeds.
    @discardableResult
    public func onSuccess(on queue: DispatchQueue, _ handler: @escaping @Sendable (Value) -> Void) -> Future {
        onComplete(on: queue) { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler with the error if the future fails.
    @discardableResult
    public func onFailure(_ handler: @escaping @MainActor (any Error) -> Void) -> Future {
        onComplete { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler on a queue with the error if the future fails.
    @discardableResult
    public func onFailure(on queue: DispatchQueue, _ handler: @escaping @Sendable (any Error) -> Void) -> Future {
        onComplete(on: queue) { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler with the outcome.
    @discardableResult
    public func onComplete(_ handler: @escaping @MainActor (Result<Value, any Error>) -> Void) -> Future {
        handle(.main(handler))
    }

    /// Calls a handler on a queue with the outcome.
    @discardableResult
    public func onComplete(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future {
        handle(.queue(queue, handler))
    }
}
