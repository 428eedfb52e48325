public import HalyardFutures

// Requests without a route or an endpoint. Arguments go to the query. The arguments of a POST go to the body, unless
// `content` is set.
extension HTTPProvider {
    /// Sends a request and returns its response as a value.
    ///
    /// ```swift
    /// let fibonacci: [Int] = try await api.invoke(.get, "test/fibonacci", arguments: ["count": 8])
    /// let item: Item = try await api.invoke(.put, "items", arguments: ["id": 101], content: .json(item))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path, as in a route. Each interpolated value is one escaped segment.
    ///   - arguments: Parameters of the query, or, for a POST without content, of the body. Defaults to none.
    ///   - encoding: How arrays, and the arguments of a POST, are written. Defaults to the provider's encoding.
    ///   - content: The body. If you pass one, the arguments go into the query. Defaults to none.
    ///   - type: The type of the value: `Data`, `String`, `JSON`, a `Decodable` type, or a type of the provider's
    ///     serializers.
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: Value.Type = Value.self
    ) async throws -> Value {
        try await invocation(method, path, arguments, encoding, content).value(.value(of: type))
    }

    /// Sends a request and ignores the body of its response.
    ///
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public func invoke(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil
    ) async throws {
        try await invocation(method, path, arguments, encoding, content).void()
    }

    /// Sends a request and calls a handler on the main actor with the result. To get the result on a queue, use
    /// `request(_:).responseValue(_:on:_:)`.
    ///
    /// ```swift
    /// api.invoke(.get, "test/fibonacci", arguments: ["count": 8]) { (result: Result<[Int], any Error>) in show(result) }
    /// ```
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, resultHandler: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Request {
        invocation(method, path, arguments, encoding, content)
            .responseValue(.value(of: Value.self)) { resultHandler($0.result) }
    }

    private func invocation(
        _ method: HTTPMethod, _ path: RoutePath, _ arguments: Parameters, _ encoding: ParameterEncoding?,
        _ content: RouteBody?
    ) -> Request {
        let encoding = encoding ?? (method == .post ? nil : .url)
        return request(
            Route(path: path, method: method, params: arguments, encoding: encoding, body: content))
    }
}
