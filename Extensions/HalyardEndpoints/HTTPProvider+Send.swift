public import HalyardCodable

extension HTTPProvider {
    /// Makes a request for an endpoint whose arguments are all given. The first observer starts it.
    ///
    /// - Returns: The request, which has not started.
    public func request<Output>(_ endpoint: Endpoint<Void, Output>) -> Request { request(endpoint.route(())) }

    /// Builds the request for an endpoint whose arguments are all given, and sends nothing. See `prepare(_:)` of a
    /// route.
    ///
    /// ```swift
    /// print(try api.prepare(People.find("42")).curlCommand())
    /// ```
    ///
    /// - Throws: ``HTTPError`` for values that cannot be sent as they are, or the endpoint's
    ///   ``Endpoint/declarationError``.
    public func prepare<Output>(_ endpoint: Endpoint<Void, Output>) throws -> HTTPRequest {
        try prepare(endpoint.route(()))
    }

    /// Sends an endpoint whose arguments are all given, and returns its result. Cancelling the task cancels the
    /// request.
    ///
    /// ```swift
    /// let me = try await api.send(.me)
    /// let patched = try await api.send(People.patch(me, "42", nil))
    /// ```
    ///
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    @discardableResult
    public func send<Output>(_ endpoint: Endpoint<Void, Output>) async throws -> Output {
        try await request(endpoint.route(())).value(endpoint.serializer)
    }

    /// Makes a call of an endpoint whose arguments are all given. It starts nothing.
    public func call<Output>(_ endpoint: Endpoint<Void, Output>) -> Call<Output> { Call(endpoint, of: self) }
}
