public import HalyardFoundation
public import HalyardFutures

// Requests without a route or an endpoint. Arguments go to the query. The arguments of a POST go to the body, unless
// `content` is set.
extension HTTPProvider {
    /// Sends a request, and returns its response as a value.
    ///
    /// ```swift
    /// let fibonacci: [Int] = try await api.invoke(.get, "test/fibonacci", arguments: ["count": 8])
    /// let item: Item = try await api.invoke(.put, "items", arguments: ["id": 101], content: .json(item))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path, as in a route. An interpolated value is one escaped segment.
    ///   - arguments: Parameters of the query, or, for a POST without content, of the body. Defaults to none.
    ///   - encoding: How the arguments of a POST, and arrays, are written. Defaults to the provider's encoding.
    ///   - content: The body. The arguments then go to the query. Defaults to none.
    ///   - type: The type of the value: `Data`, `String`, `JSON`, a `Decodable` type, or a type of the provider's
    ///     serializers.
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: Value.Type = Value.self
    ) async throws -> Value {
        try await invocation(method, path, arguments, encoding, content).value(.value(of: type))
    }

    /// Sends a request, and ignores the body of its response.
    ///
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public func invoke(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil
    ) async throws {
        try await invocation(method, path, arguments, encoding, content).void()
    }

    /// Sends a request, and converts its response with a closure, off the main actor.
    ///
    /// ```swift
    /// let image = try await api.invoke(.get, "logo") { content, contentType, headers in
    ///     try Image(content, type: contentType)
    /// }
    /// ```
    ///
    /// - Parameter responseHandler: Receives the bytes, the media type without parameters, and the header fields. Its
    ///   error is the error of the request.
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil,
        responseHandler: @escaping @Sendable (Data, String?, HTTPHeaders) throws -> Value
    ) async throws -> Value {
        try await invocation(method, path, arguments, encoding, content).value(.of(responseHandler))
    }

    /// Sends a request, and calls a handler with the result, on the main actor. On a queue, use
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

    /// Sends a request, converts its response with a closure off the main actor, and calls a handler with the result,
    /// on the main actor.
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil,
        responseHandler: @escaping @Sendable (Data, String?, HTTPHeaders) throws -> Value,
        resultHandler: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Request {
        invocation(method, path, arguments, encoding, content)
            .responseValue(.of(responseHandler)) { resultHandler($0.result) }
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

extension ResponseSerializer {
    fileprivate static func of(
        _ handler: @escaping @Sendable (Data, String?, HTTPHeaders) throws -> Value
    ) -> ResponseSerializer {
        ResponseSerializer { try handler($0.bytes(), $0.mediaType, $0.headers) }
    }
}

// A `String` in a variable does not say what it is. Literals are RoutePaths and compile, because the compiler prefers
// functions that are available.
extension HTTPProvider {
    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: Value.Type = Value.self
    ) async throws -> Value {
        try await invoke(method, RoutePath(verbatim: path), returning: type)
    }

    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    public func invoke(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil
    ) async throws {
        try await invoke(method, RoutePath(verbatim: path))
    }

    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, resultHandler: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Request {
        invoke(method, RoutePath(verbatim: path), resultHandler: resultHandler)
    }
}
