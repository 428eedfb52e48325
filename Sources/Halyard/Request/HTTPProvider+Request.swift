public import HalyardHTTP

extension HTTPProvider {
    /// Makes a request of a route. It is cold: its first reader, or ``Request/start()``, sends it.
    public func request(_ route: Route) -> Request { Request(route, of: self) }

    /// Makes what would be sent for a route, and sends nothing: method, URL, headers and body as the interceptors would
    /// be given them. Files are opened and measured.
    ///
    /// ```swift
    /// let request = try api.prepare(.search("halyard", since: nil))
    /// print(request.url)                     // https://api.example.com/v1/search?q=halyard&count=8
    /// ```
    ///
    /// - Throws: `HTTPError` for whatever cannot be sent as it is, or what a body of the route's own throws.
    public func prepare(_ route: Route) throws -> HTTPRequest { try RequestBuilder.request(for: route, of: self) }
}

extension DefaultProvider {
    /// Makes a request to a full URL, through the shared client.
    ///
    /// A URL that cannot be used, a relative one for instance, is the request's error, of kind `invalidURL`.
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
