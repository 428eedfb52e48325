public import Dispatch
public import Halyard

extension Request {
    /// Calls a handler with the response decoded from JSON, on the main actor. Decoding does not run on the main actor.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.all).responseObject(of: [User].self, at: "data.items") { print($0.result) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value. Defaults to the type of the context.
    ///   - keyPath: The path of the value in the JSON. See ``HTTPResponse/object(_:at:mapper:)``. Defaults to the whole
    ///     body.
    ///   - handler: Receives the value, or an ``HTTPError``: of kind `decoding` for a body that does not fit, of kind
    ///     `emptyResponse` for an empty body, unless the type is optional.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "",
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        addHandler(.object(type, at: keyPath), handler)
    }

    /// Calls a handler with the response decoded from JSON, on a queue.
    ///
    /// - Parameters:
    ///   - type: The type of the value. Defaults to the type of the context.
    ///   - keyPath: The path of the value in the JSON. Defaults to the whole body.
    ///   - handler: Receives the value or the error.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "", on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<T>) -> Void
    ) -> Request {
        addHandler(.object(type, at: keyPath), on: queue, handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// Returns a serializer for a value from JSON. See ``HTTPResponse/object(_:at:mapper:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON. Defaults to the whole body.
    public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.object(type, at: keyPath, by: codec) }
    }
}
