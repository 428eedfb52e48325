public import Dispatch
import Halyard

// Handlers. Without `on:` they run on the main actor. Each gives the future
// back, so that they chain. A future that failed because the provider's `shouldContinue` said no fails with
// `HTTPError.stopped`.
extension Future {
    /// Calls a handler with the value of a success.
    @discardableResult
    public func onSuccess(_ handler: @escaping @MainActor (Value) -> Void) -> Future {
        onComplete { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler with the value of a success, on a queue.
    @discardableResult
    public func onSuccess(on queue: DispatchQueue, _ handler: @escaping @Sendable (Value) -> Void) -> Future {
        onComplete(on: queue) { if case .success(let value) = $0 { handler(value) } }
    }

    /// Calls a handler with the error of a failure.
    @discardableResult
    public func onFailure(_ handler: @escaping @MainActor (any Error) -> Void) -> Future {
        onComplete { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler with the error of a failure, on a queue.
    @discardableResult
    public func onFailure(on queue: DispatchQueue, _ handler: @escaping @Sendable (any Error) -> Void) -> Future {
        onComplete(on: queue) { if case .failure(let error) = $0 { handler(error) } }
    }

    /// Calls a handler with the outcome.
    @discardableResult
    public func onComplete(_ handler: @escaping @MainActor (Result<Value, any Error>) -> Void) -> Future {
        handle(in: .main) { await handler($0) }
        return self
    }

    /// Calls a handler with the outcome, on a queue.
    @discardableResult
    public func onComplete(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future {
        handle(in: .of(queue)) { await queue.call(handler, with: $0) }
        return self
    }
}
