public import Dispatch
public import HalyardFoundation
public import HalyardFutures

// The short way: no route, no endpoint. Arguments go to the query, those of a POST into the body, unless it has content.
extension HTTPProvider {
    /// Asks for a path, and gives what its response is read as.
    ///
    /// ```swift
    /// let fibonacci: [Int] = try await api.invoke(.get, "test/fibonacci", arguments: ["count": 8])
    /// let item: Item = try await api.invoke(.put, "items", arguments: ["id": 101], content: .json(item))
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: as a route's: what is interpolated is one segment.
    ///   - arguments: for the query; those of a POST without content for the body.
    ///   - encoding: how a POST's arguments are written, and lists; the provider's default unless given.
    ///   - content: a body; arguments are then the query's.
    ///   - type: `Data`, `String`, `JSON`, any `Decodable`, or what a serializer of the provider reads.
    /// - Throws: ``HTTPError``, or what the provider's hooks threw.
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: Value.Type = Value.self
    ) async throws -> Value {
        try await invocation(method, path, arguments, encoding, content).value(.value(of: type))
    }

    /// Asks for a path, and gives nothing: success or an error.
    public func invoke(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil
    ) async throws {
        try await invocation(method, path, arguments, encoding, content).void()
    }

    /// Asks for a path, and gives what a handler makes of the response's content, off the main actor.
    ///
    /// ```swift
    /// let image = try await api.invoke(.get, "logo") { content, contentType, headers in
    ///     try Image(content, type: contentType)
    /// }
    /// ```
    ///
    /// - Parameter responseHandler: takes the bytes, the media type without its parameters, and the header fields; what
    ///   it throws is the error.
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil,
        responseHandler: @escaping @Sendable (Data, String?, HTTPHeaders) throws -> Value
    ) async throws -> Value {
        try await invocation(method, path, arguments, encoding, content).value(.of(responseHandler))
    }

    /// Asks for a path, and calls a handler with the result, on the main actor.
    ///
    /// ```swift
    /// api.invoke(.get, "test/fibonacci", arguments: ["count": 8]) { (result: Result<[Int], any Error>) in show(result) }
    /// ```
    ///
    /// - Returns: the request, which can be cancelled.
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, resultHandler: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Request {
        invocation(method, path, arguments, encoding, content)
            .responseValue(.value(of: Value.self)) { resultHandler($0.result) }
    }

    /// Asks for a path, and calls a handler with the result on a queue.
    ///
    /// - Returns: the request, which can be cancelled.
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, on queue: DispatchQueue,
        resultHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Request {
        invocation(method, path, arguments, encoding, content)
            .responseValue(.value(of: Value.self), on: queue) { resultHandler($0.result) }
    }

    /// Asks for a path, and calls a handler with what another makes of the response's content, off the main actor.
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

    /// Asks for a path, and calls a handler on a queue with what another makes of the response's content.
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, on queue: DispatchQueue,
        responseHandler: @escaping @Sendable (Data, String?, HTTPHeaders) throws -> Value,
        resultHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Request {
        invocation(method, path, arguments, encoding, content)
            .responseValue(.of(responseHandler), on: queue) { resultHandler($0.result) }
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
