extension HTTPError {
    /// The kind of an error.
    public typealias Kind = HTTPErrorKind

    /// The reason why a TLS connection failed.
    public typealias TLSFailure = HTTPErrorKind.TLSFailure
}

// The kinds as errors, for `error ==` and `catch`.
extension HTTPError {
    /// An error of kind ``HTTPErrorKind/status(_:)``.
    ///
    /// - Parameter status: The status code.
    /// - Returns: The error.
    public static func status(_ status: Int) -> HTTPError { HTTPError(.status(status)) }
    /// An error of kind ``HTTPErrorKind/tls(_:)``.
    ///
    /// - Parameter failure: The reason.
    /// - Returns: The error.
    public static func tls(_ failure: TLSFailure) -> HTTPError { HTTPError(.tls(failure)) }
    /// An error of kind ``HTTPErrorKind/hostNotFound(_:)``.
    ///
    /// - Parameter host: The host name.
    /// - Returns: The error.
    public static func hostNotFound(_ host: String) -> HTTPError { HTTPError(.hostNotFound(host)) }
    /// An error of kind ``HTTPErrorKind/cannotConnect(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func cannotConnect(_ origin: String) -> HTTPError { HTTPError(.cannotConnect(origin)) }
    /// An error of kind ``HTTPErrorKind/insecureConnection(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func insecureConnection(_ origin: String) -> HTTPError { HTTPError(.insecureConnection(origin)) }
    /// An error of kind ``HTTPErrorKind/bodyTooLarge(limit:)``.
    ///
    /// - Parameter limit: The limit, in bytes.
    /// - Returns: The error.
    public static func bodyTooLarge(limit: Int) -> HTTPError { HTTPError(.bodyTooLarge(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/headersTooLarge(limit:)``.
    ///
    /// - Parameter limit: The limit, in bytes.
    /// - Returns: The error.
    public static func headersTooLarge(limit: Int) -> HTTPError { HTTPError(.headersTooLarge(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/unsupportedCoding(_:)``.
    ///
    /// - Parameter coding: The name of the coding.
    /// - Returns: The error.
    public static func unsupportedCoding(_ coding: String) -> HTTPError { HTTPError(.unsupportedCoding(coding)) }
    /// An error of kind ``HTTPErrorKind/tooManyRedirects(limit:)``.
    ///
    /// - Parameter limit: The maximum number of redirects.
    /// - Returns: The error.
    public static func tooManyRedirects(limit: Int) -> HTTPError { HTTPError(.tooManyRedirects(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/insecureRedirect(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func insecureRedirect(_ origin: String) -> HTTPError { HTTPError(.insecureRedirect(origin)) }
    /// An error of kind ``HTTPErrorKind/foreignSecrets(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func foreignSecrets(_ origin: String) -> HTTPError { HTTPError(.foreignSecrets(origin)) }
    /// An error of kind ``HTTPErrorKind/insecureCredentials(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func insecureCredentials(_ origin: String) -> HTTPError { HTTPError(.insecureCredentials(origin)) }
    /// An error of kind ``HTTPErrorKind/configuration(_:)``.
    ///
    /// - Parameter property: The name of the property.
    /// - Returns: The error.
    public static func configuration(_ property: String) -> HTTPError { HTTPError(.configuration(property)) }
    /// An error of kind ``HTTPErrorKind/emptyResponse``.
    public static var emptyResponse: HTTPError { HTTPError(.emptyResponse) }
    /// An error of kind ``HTTPErrorKind/unreadableFile(_:)``.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The error.
    public static func unreadableFile(_ path: String) -> HTTPError { HTTPError(.unreadableFile(path)) }
    /// An error of kind ``HTTPErrorKind/unwritableFile(_:)``.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The error.
    public static func unwritableFile(_ path: String) -> HTTPError { HTTPError(.unwritableFile(path)) }
    /// An error of kind ``HTTPErrorKind/bodyConsumed``.
    public static var bodyConsumed: HTTPError { HTTPError(.bodyConsumed) }
    /// An error of kind ``HTTPErrorKind/invalidURL(_:)``.
    ///
    /// - Parameter url: The text of the URL.
    /// - Returns: The error.
    public static func invalidURL(_ url: String) -> HTTPError { HTTPError(.invalidURL(url)) }
    /// An error of kind ``HTTPErrorKind/invalidMethod(_:)``.
    ///
    /// - Parameter name: The method.
    /// - Returns: The error.
    public static func invalidMethod(_ name: String) -> HTTPError { HTTPError(.invalidMethod(name)) }
    /// An error of kind ``HTTPErrorKind/invalidHeader(_:)``.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: The error.
    public static func invalidHeader(_ name: String) -> HTTPError { HTTPError(.invalidHeader(name)) }
    /// An error of kind ``HTTPErrorKind/invalidPath(_:)``.
    ///
    /// - Parameter path: The path.
    /// - Returns: The error.
    public static func invalidPath(_ path: String) -> HTTPError { HTTPError(.invalidPath(path)) }
    /// An error of kind ``HTTPErrorKind/encoding(_:)``.
    ///
    /// - Parameter name: What cannot be encoded: the name of a value, or `the body`.
    /// - Returns: The error.
    public static func encoding(_ name: String) -> HTTPError { HTTPError(.encoding(name)) }
    /// An error of kind ``HTTPErrorKind/noStub(_:)``.
    ///
    /// - Parameter request: The method and the path of the request.
    /// - Returns: The error.
    public static func noStub(_ request: String) -> HTTPError { HTTPError(.noStub(request)) }
    /// An error of kind ``HTTPErrorKind/decoding``.
    public static var decoding: HTTPError { HTTPError(.decoding) }
    /// An error of kind ``HTTPErrorKind/stopped``.
    public static var stopped: HTTPError { HTTPError(.stopped) }
    /// An error of kind ``HTTPErrorKind/cancelled``.
    public static var cancelled: HTTPError { HTTPError(.cancelled) }
    /// An error of kind ``HTTPErrorKind/timedOut``.
    public static var timedOut: HTTPError { HTTPError(.timedOut) }
    /// An error of kind ``HTTPErrorKind/connectionLost``.
    public static var connectionLost: HTTPError { HTTPError(.connectionLost) }
    /// An error of kind ``HTTPErrorKind/invalidResponse``.
    public static var invalidResponse: HTTPError { HTTPError(.invalidResponse) }
    /// An error of kind ``HTTPErrorKind/engineUnavailable``.
    public static var engineUnavailable: HTTPError { HTTPError(.engineUnavailable) }
    /// An error of kind ``HTTPErrorKind/engine(code:)``.
    ///
    /// - Parameter code: The engine's error code.
    /// - Returns: The error.
    public static func engine(code: Int) -> HTTPError { HTTPError(.engine(code: code)) }
    /// An error of kind ``HTTPErrorKind/queueFull(_:)``.
    ///
    /// - Parameter key: What the bulkhead counts by, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func queueFull(_ key: String) -> HTTPError { HTTPError(.queueFull(key)) }
    /// An error of kind ``HTTPErrorKind/rateLimited(_:)``.
    ///
    /// - Parameter key: What the limit counts by, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func rateLimited(_ key: String) -> HTTPError { HTTPError(.rateLimited(key)) }
    /// An error of kind ``HTTPErrorKind/circuitOpen(_:)``.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The error.
    public static func circuitOpen(_ origin: String) -> HTTPError { HTTPError(.circuitOpen(origin)) }
    /// An error of kind ``HTTPErrorKind/shutDown``.
    public static var shutDown: HTTPError { HTTPError(.shutDown) }
}
