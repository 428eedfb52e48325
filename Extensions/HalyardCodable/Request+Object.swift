public import Dispatch
public import Halyard

extension Request {
    /// Calls a handler with the response decoded from JSON, on the main actor.
    /// Decoding happens elsewhere.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.all).responseObject(of: [User].self, at: "data.items") { print($0.result) }
    /// ```
    ///
    /// A body that does not fit is an ``HTTPError`` of kind `decoding`, an empty one of kind `emptyResponse`, unless the
    /// type is optional. For the parameters see ``HTTPResponse/object(_:at:mapper:)``.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "",
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        read(.object(type, at: keyPath), handler)
    }

    /// Calls a handler with the response decoded from JSON, on a queue.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "", on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<T>) -> Void
    ) -> Request {
        read(.object(type, at: keyPath), on: queue, handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// An object from JSON; see ``HTTPResponse/object(_:at:mapper:)``.
    public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.object(type, at: keyPath, by: codec) }
    }
}
