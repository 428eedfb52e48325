public import Dispatch
import Halyard
public import HalyardCodable

extension Request {
    /// Starts the request and returns a future with the response decoded from JSON.
    ///
    /// ```swift
    /// api.request(.me).future(of: User.self).onSuccess { print($0.name) }
    /// ```
    ///
    /// See ``HTTPResponse/object(_:at:mapper:)`` for the key path.
    public func future<T: Decodable & Sendable>(of type: T.Type = T.self, at keyPath: String = "") -> Future<T> {
        future(.object(type, at: keyPath))
    }

    /// Starts the request and returns a future with the result of a serializer: `.future(.data)`, `.future(.text)`,
    /// `.future(.json)`, `.future(.void)`, or your own serializer.
    public func future<Value>(_ serializer: ResponseSerializer<Value>) -> Future<Value> {
        let future = Future<Value>(progress: ProgressRelay(request: self))
        let id = addObserver { outcome in
            future.complete(await outcome.response(decoding: serializer).result)
        }
        future.onCancel {
            removeObserver(id)
            return nil
        }
        return future
    }

    /// Starts the request and returns a future with the response itself (status, headers, body).
    public func futureResponse() -> Future<HTTPResponse> {
        future(ResponseSerializer(isQuick: true) { response, _ in response })
    }
}

// The progress of all requests in a chain. A handler that is added late receives the last report of each request. Each
// function returns this future, for chaining.
extension Future {
    /// Calls a handler while the chain's requests send their bodies, on the main actor.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.upload, .main(handler))
    }

    /// Calls a handler while the chain's requests send their bodies, on a queue.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (RequestProgress) -> Void
    ) -> Future {
        addProgressHandler(.upload, .queue(queue, handler))
    }

    /// Calls a handler while the chain's requests receive their responses' bodies, on the main actor.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (RequestProgress) -> Void) -> Future {
        addProgressHandler(.download, .main(handler))
    }

    /// Calls a handler while the chain's requests receive their responses' bodies, on a queue.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (RequestProgress) -> Void
    ) -> Future {
        addProgressHandler(.download, .queue(queue, handler))
    }

    private func addProgressHandler(
        _ direction: TransferProgress.Direction, _ handler: Handler<RequestProgress>
    ) -> Future {
        let id = progress.addHandler((direction, handler))
        // The handler may refer to this future. The future releases the handler when no more requests can follow.
        whenDone { [progress] in progress.removeHandler(id) }
        return self
    }
}
