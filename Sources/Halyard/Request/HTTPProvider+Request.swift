public import HalyardHTTP

extension HTTPProvider {
    /// Makes a request of a route. It is cold: its first reader, or ``Request/start()``, sends it.
    public func request(_ route: Route) -> Request { Request(route, of: self) }
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
