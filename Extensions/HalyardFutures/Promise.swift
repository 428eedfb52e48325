import Halyard

/// The other end of a ``Future``: whoever holds it completes the future, once.
///
/// ```swift
/// let promise = Promise<Image>()
/// loader.load { image in promise.succeed(image) }
/// return promise.future
/// ```
///
/// A promise that goes without having been kept fails its future with `HTTPError.cancelled`: nobody waits for ever.
public final class Promise<Value: Sendable>: Sendable {
    /// The future that this promise completes.
    public let future: Future<Value>

    /// Makes a promise and its future.
    public init() { future = Future() }

    deinit { future.complete(.failure(HTTPError(.cancelled, reason: "its promise was given up"))) }

    /// Completes the future with a value. Only the first completion counts.
    public func succeed(_ value: Value) { future.complete(.success(value)) }

    /// Completes the future with an error. Only the first completion counts.
    public func fail(_ error: any Error) { future.complete(.failure(error)) }

    /// Completes the future with either. Only the first completion counts.
    public func complete(_ result: Result<Value, any Error>) { future.complete(result) }

    /// Calls a closure when the future is cancelled: to stop what it was waiting for.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        future.onCancel {
            handler()
            return nil
        }
    }
}
