public import HalyardHTTP

extension HTTPProvider {
    /// Makes a request. The first observer starts it, or ``Request/start()``.
    ///
    /// - Parameter route: The route.
    /// - Returns: The request, which has not started.
    public func request(_ route: Route) -> Request { Request(route, of: self) }

    /// Builds the request for a route, and sends nothing. The result has the method, URL, header fields and body as the
    /// interceptors would receive them. Files are opened and measured.
    ///
    /// ```swift
    /// let request = try api.prepare(.search("halyard", since: nil))
    /// print(request.url)                     // https://api.example.com/v1/search?q=halyard&count=8
    /// ```
    ///
    /// - Parameter route: The route.
    /// - Returns: The request.
    /// - Throws: ``HTTPError`` for values that cannot be sent as they are, or an error of the route's body.
    public func prepare(_ route: Route) throws -> HTTPRequest { try RequestBuilder.request(for: route, of: self) }
}

extension DefaultProvider {
    /// Makes a request to an absolute URL, with the shared client.
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL. Any other text fails the request with ``HTTPError`` of kind
    ///     `invalidURL`.
    ///   - method: The method. Defaults to GET.
    ///   - params: The parameters. Defaults to none.
    ///   - headers: The header fields. Defaults to none.
    ///   - encoding: How the parameters are written. Defaults to JSON for POST and PUT, and to the query for all other
    ///     methods.
    /// - Returns: The request, which has not started.
    public static func request(
        _ url: String,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil
    ) -> Request {
        var route = Route(.absolute(url), method, params, headers)
        route.encoding = encoding
        return DefaultProvider().request(route)
    }
}
