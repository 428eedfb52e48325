public import Halyard

extension Request {
    /// Calls a handler with the response decoded from JSON, on the main actor. Decoding does not run there. On a
    /// queue, use `responseValue(.object(), on: queue)`.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.all).responseObject(of: [User].self, at: "data.items") { print($0.result) }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON. See ``HTTPResponse/object(_:at:mapper:)``. Defaults to the whole
    ///     body.
    ///   - handler: Receives the value, or an ``HTTPError``: of kind `decoding` for a body that does not fit, of kind
    ///     `emptyResponse` for an empty body, unless the type is optional.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "",
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        responseValue(.object(type, at: keyPath), handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// Returns a serializer for a value from JSON. See ``HTTPResponse/object(_:at:mapper:)``.
    ///
    /// - Parameter keyPath: The path of the value in the JSON. Defaults to the whole body.
    public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.object(type, at: keyPath, by: codec) }
    }
}
