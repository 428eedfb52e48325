public import HalyardCodable

extension Request {
    /// Returns a future with the response decoded from JSON, and starts the request.
    ///
    /// ```swift
    /// api.request(.me).future(of: User.self).onSuccess { print($0.name) }
    /// ```
    ///
    /// - Parameter keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    public func future<T: Decodable & Sendable>(of type: T.Type = T.self, at keyPath: String = "") -> Future<T> {
        future(.object(type, at: keyPath))
    }

    /// Returns a future with the result of a serializer, and starts the request: `.future(.data)`, `.future(.text)`,
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

    /// Returns a future with the response itself (status, headers, body), and starts the request.
    public func futureResponse() -> Future<HTTPResponse> {
        future(ResponseSerializer(isQuick: true) { response, _ in response })
    }
}
