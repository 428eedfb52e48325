public import HalyardHTTP

// As in HalyardHTTP: `dump` and `String(reflecting:)` show the description of a value that holds secrets.

extension Route: SafelyDescribed {}
extension Request: SafelyDescribed {}
extension LogEvent: SafelyDescribed {}
extension Authentication: SafelyDescribed {}

extension TokenSource: SafelyDescribed {
    /// Whether there is a token. The token is not shown.
    public var description: String { token == nil ? "a token source without a token" : "a token source with a token" }
}

extension Parameters: SafelyDescribed {
    /// The names, such as `[q, token]`. Values are not shown, because they may be secrets.
    public var description: String { "[\(items.map(\.name).joined(separator: ", "))]" }
}

extension ParameterValue: SafelyDescribed {
    /// A fixed text. The value is not shown, because it may be a secret.
    public var description: String { "a value" }
}

extension RouteBody: SafelyDescribed {
    /// A fixed text. The body is not shown, because it may contain secrets.
    public var description: String { "a body" }
}

extension MultipartPart: SafelyDescribed {
    /// The name. The content is not shown, because it may be secret.
    public var description: String { name }
}

extension HTTPClient: SafelyDescribed {
    /// The engine's type and the number of interceptors. Interceptors are not shown, because they may contain keys.
    public var description: String {
        "a client over \(type(of: transport)), with \(interceptors.count + networkInterceptors.count) interceptors"
    }
}

extension CookieJar: SafelyDescribed {
    /// The number of cookies.
    public var description: String { "a jar of \(cookies.count) cookies" }
}

extension Response: SafelyDescribed {
    /// The status and the URL, or the error, without secrets. The value is not shown.
    public var description: String {
        if let error { return Redaction(request, response).headline(of: error) }
        return response?.description ?? "a response"
    }
}
