public import HalyardHTTP

extension Route {
    /// A string in a variable does not say what it is. Literals are ``RoutePath``s and never meant here: the compiler
    /// takes what is available first.
    @available(
        *, unavailable,
        message:
            "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal, or Route(url:)"
    )
    public init(
        path: String,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: Multipart? = nil,
        timeout: Duration? = nil,
        memoryLimit: Int? = nil,
        redirects: RedirectPolicy? = nil,
        retry: RetryPolicy? = nil,
        delivery: Delivery? = nil,
        mapper: ObjectMapper? = nil
    ) {
        self.init(.path(RoutePath(verbatim: path)), method, params, headers)
    }
}
