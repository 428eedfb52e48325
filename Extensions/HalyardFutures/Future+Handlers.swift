public import Dispatch
import Halyard

// Handlers. Without `on:` they run on the main actor. Each function returns the future, for
// chaining. If the provider's `shouldContinue` returns `false`, the error is `HTTPError.stopped`.
extension Future {
    /// Calls a handler with the value if the future succeeds.
    ///
    /// - Parameter handler: Receives the value, once.
    /// - Returns: This future.
    @discardableResult
    public func onSuccess(_ handler: @escaping @MainActor (Value) -> Void) -> Future {
        onComplete { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler on a queue with the value if the future succeeds.
    ///
    /// - Parameters:
    ///   - queue: The queue of the handler.
    ///   - handler: Receives the value, once.
    /// - Returns: This future.
    @discardableResult
    public func onSuccess(on queue: DispatchQueue, _ handler: @escaping @Sendable (Value) -> Void) -> Future {
        onComplete(on: queue) { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler with the error if the future fails.
    ///
    /// - Parameter handler: Receives the error, once.
    /// - Returns: This future.
    @discardableResult
    public func onFailure(_ handler: @escaping @MainActor (any Error) -> Void) -> Future {
        onComplete { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler on a queue with the error if the future fails.
    ///
    /// - Parameters:
    ///   - queue: The queue of the handler.
    ///   - handler: Receives the error, once.
    /// - Returns: This future.
    @discardableResult
    public func onFailure(on queue: DispatchQueue, _ handler: @escaping @Sendable (any Error) -> Void) -> Future {
        onComplete(on: queue) { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler with the outcome.
    ///
    /// - Parameter handler: Receives the value or the error, once.
    /// - Returns: This future.
    @discardableResult
    public func onComplete(_ handler: @escaping @MainActor (Result<Value, any Error>) -> Void) -> Future {
        handle(on: .main) { await handler($0) }
        return self
    }

    /// Calls a handler on a queue with the outcome.
    ///
    /// - Parameters:
    ///   - queue: The queue of the handler.
    ///   - handler: Receives the value or the error, once.
    /// - Returns: This future.
    @discardableResult
    public func onComplete(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future {
        handle(on: .of(queue)) { await queue.call(handler, with: $0) }
        return self
    }
}
