public import HalyardCodable

extension Request {
    /// The response decoded from JSON, as a future. It is a reader of the request, and so starts it.
    ///
    /// ```swift
    /// api.request(.me).future(User.self).onSuccess { print($0.name) }
    /// ```
    public func future<T: Decodable & Sendable>(_ type: T.Type = T.self, at keyPath: String = "") -> Future<T> {
        future(.object(type, at: keyPath))
    }

    /// What a serializer makes of the response, as a future: `.future(.data)`, `.future(.text)`, `.future(.json)`,
    /// `.future(.void)`, or one of your own.
    public func future<Value>(_ serializer: ResponseSerializer<Value>) -> Future<Value> {
        let future = Future<Value>(progress: ProgressRelay(request: self))
        let id = read { exchange in
            future.complete(await exchange.response(reading: serializer).result)
        }
        future.onCancel {
            leave(id)
            return nil
        }
        return future
    }

    /// The response itself, as a future: status, headers, body.
    public func futureResponse() -> Future<HTTPResponse> {
        future(ResponseSerializer(isQuick: true) { response, _ in response })
    }
}
