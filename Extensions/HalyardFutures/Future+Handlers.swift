public import Dispatch
import Halyard

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
