import Halyard

/// Completes a ``Future``, once.
///
/// ```swift
/// let promise = Promise<Image>()
/// loader.load { image in promise.succeed(image) }
/// return promise.future
/// ```
///
/// If a promise is released without a completion, its future fails with `HTTPError.cancelled`.
public final class Promise<Value: Sendable>: Sendable {
    /// The future that this promise completes.
    public let future: Future<Value>

    /// Makes a promise and its future.
    public init() { future = Future() }

    deinit { future.complete(.failure(HTTPError(.cancelled, reason: "its promise was released without an outcome"))) }

    /// Completes the future with a value. Only the first completion has an effect.
    public func succeed(_ value: Value) { future.complete(.success(value)) }

    /// Completes the future with an error. Only the first completion has an effect.
    public func fail(_ error: any Error) { future.complete(.failure(error)) }

    /// Completes the future with a value or an error. Only the first completion has an effect.
    public func complete(_ result: Result<Value, any Error>) { future.complete(result) }

    /// Calls a closure when the future is cancelled, to stop the work that it waits for.
    ///
    /// - Parameter handler: Stops the work. It runs on any thread.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        future.onCancel {
            handler()
            return nil
        }
    }
}
