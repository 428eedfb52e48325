import HalyardHTTP

// As in HalyardHTTP: `dump` and `String(reflecting:)` show the description of a value that holds secrets.

extension Route: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Request: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension LogEvent: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Authentication: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension TokenSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a token. The token is not shown.
    public var description: String { token == nil ? "a token source without a token" : "a token source with a token" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Parameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, such as `[q, token]`. Values are not shown, because they may be secrets.
    public var description: String { "[\(items.map(\.name).joined(separator: ", "))]" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension ParameterValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text. The value is not shown, because it may be a secret.
    public var description: String { "a value" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension RouteBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text. The body is not shown, because it may contain secrets.
    public var description: String { "a body" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Multipart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the parts, such as `[user, image]`. The content is not shown, because it may be secret.
    public var description: String { "[\(parts.map(\.name).joined(separator: ", "))]" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Multipart.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name. The content is not shown, because it may be secret.
    public var description: String { name }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The engine's type and the number of interceptors. Interceptors are not shown, because they may contain keys.
    public var description: String {
        "a client over \(type(of: transport)), with \(interceptors.count + networkInterceptors.count) interceptors"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of cookies.
    public var description: String { "a jar of \(cookies.count) cookies" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the URL, or the error, without secrets. The value is not shown.
    public var description: String {
        if let error { return Redaction(request, response).headline(of: error) }
        return response?.description ?? "a response"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
