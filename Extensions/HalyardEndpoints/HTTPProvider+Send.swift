public import HalyardCodable

extension HTTPProvider {
    /// Makes a request of an endpoint whose values are filled in. It is cold, as every request is.
    public func request<Output>(_ endpoint: Endpoint<Void, Output>) -> Request { request(endpoint.route(())) }

    /// Makes what would be sent for an endpoint whose values are filled in, and sends nothing; see `prepare(_:)` of a route.
    ///
    /// ```swift
    /// print(try api.prepare(People.find("42")).curlLine())
    /// ```
    ///
    /// - Throws: ``HTTPError`` for whatever cannot be sent as it is, the endpoint's ``Endpoint/flaw`` for one.
    public func prepare<Output>(_ endpoint: Endpoint<Void, Output>) throws -> HTTPRequest {
        try prepare(endpoint.route(()))
    }

    /// Sends an endpoint whose values are filled in, and gives what it returns. Cancelling the task cancels the request.
    ///
    /// ```swift
    /// let me = try await api.send(.me)
    /// let patched = try await api.send(People.patch(me, "42", nil))
    /// ```
    ///
    /// - Throws: ``HTTPError``, or what the provider's hooks threw.
    @discardableResult
    public func send<Output>(_ endpoint: Endpoint<Void, Output>) async throws -> Output {
        try await request(endpoint.route(())).value(endpoint.serializer)
    }

    /// Makes a call of an endpoint whose values are filled in. It starts nothing.
    public func call<Output>(_ endpoint: Endpoint<Void, Output>) -> Call<Output> { Call(endpoint, of: self) }
}
