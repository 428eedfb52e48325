public import Dispatch
public import Halyard

extension Request {
    /// Calls a handler with the response decoded from JSON, on the main actor, or where the provider's `delivery` says.
    /// Decoding happens elsewhere.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.me).responseObject(of: User.self) { print($0.result) }
    /// ```
    ///
    /// A body that does not fit is an ``HTTPError`` of kind `decoding`, an empty one of kind `emptyResponse`.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self,
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        read(.object(type), handler)
    }

    /// Calls a handler with the response decoded from JSON, on a queue.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<T>) -> Void
    ) -> Request {
        read(.object(type), on: queue, handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// An object from JSON.
    fileprivate static func object(_ type: Value.Type) -> ResponseSerializer {
        ResponseSerializer { try $0.object(type) }
    }
}
