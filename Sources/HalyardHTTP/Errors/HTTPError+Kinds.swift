extension HTTPError {
    /// The kind of an error.
    public typealias Kind = HTTPErrorKind

    /// The reason why a TLS connection failed.
    public typealias TLSFailure = HTTPErrorKind.TLSFailure
}

// The kinds as errors, for `error ==` and `catch`.
extension HTTPError {
    /// An error of kind ``HTTPErrorKind/status(_:)``.
    public static func status(_ status: Int) -> HTTPError { HTTPError(.status(status)) }
    /// An error of kind ``HTTPErrorKind/tls(_:)``.
    public static func tls(_ failure: TLSFailure) -> HTTPError { HTTPError(.tls(failure)) }
    /// An error of kind ``HTTPErrorKind/hostNotFound(_:)``.
    public static func hostNotFound(_ host: String) -> HTTPError { HTTPError(.hostNotFound(host)) }
    /// An error of kind ``HTTPErrorKind/cannotConnect(_:)``.
    public static func cannotConnect(_ origin: String) -> HTTPError { HTTPError(.cannotConnect(origin)) }
    /// An error of kind ``HTTPErrorKind/insecureConnection(_:)``.
    public static func insecureConnection(_ origin: String) -> HTTPError { HTTPError(.insecureConnection(origin)) }
    /// An error of kind ``HTTPErrorKind/bodyTooLarge(limit:)``.
    public static func bodyTooLarge(limit: Int) -> HTTPError { HTTPError(.bodyTooLarge(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/headersTooLarge(limit:)``.
    public static func headersTooLarge(limit: Int) -> HTTPError { HTTPError(.headersTooLarge(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/unsupportedCoding(_:)``.
    public static func unsupportedCoding(_ coding: String) -> HTTPError { HTTPError(.unsupportedCoding(coding)) }
    /// An error of kind ``HTTPErrorKind/tooManyRedirects(limit:)``.
    public static func tooManyRedirects(limit: Int) -> HTTPError { HTTPError(.tooManyRedirects(limit: limit)) }
    /// An error of kind ``HTTPErrorKind/insecureRedirect(_:)``.
    public static func insecureRedirect(_ origin: String) -> HTTPError { HTTPError(.insecureRedirect(origin)) }
    /// An error of kind ``HTTPErrorKind/foreignSecrets(_:)``.
    public static func foreignSecrets(_ origin: String) -> HTTPError { HTTPError(.foreignSecrets(origin)) }
    /// An error of kind ``HTTPErrorKind/insecureCredentials(_:)``.
    public static func insecureCredentials(_ origin: String) -> HTTPError { HTTPError(.insecureCredentials(origin)) }
    /// An error of kind ``HTTPErrorKind/configuration(_:)``.
    public static func configuration(_ property: String) -> HTTPError { HTTPError(.configuration(property)) }
    /// An error of kind ``HTTPErrorKind/emptyResponse``.
    public static var emptyResponse: HTTPError { HTTPError(.emptyResponse) }
    /// An error of kind ``HTTPErrorKind/unreadableFile(_:)``.
    public static func unreadableFile(_ path: String) -> HTTPError { HTTPError(.unreadableFile(path)) }
    /// An error of kind ``HTTPErrorKind/unwritableFile(_:)``.
    public static func unwritableFile(_ path: String) -> HTTPError { HTTPError(.unwritableFile(path)) }
    /// An error of kind ``HTTPErrorKind/bodyConsumed``.
    public static var bodyConsumed: HTTPError { HTTPError(.bodyConsumed) }
    /// An error of kind ``HTTPErrorKind/invalidURL(_:)``.
    public static func invalidURL(_ url: String) -> HTTPError { HTTPError(.invalidURL(url)) }
    /// An error of kind ``HTTPErrorKind/invalidMethod(_:)``.
    public static func invalidMethod(_ name: String) -> HTTPError { HTTPError(.invalidMethod(name)) }
    /// An error of kind ``HTTPErrorKind/invalidHeader(_:)``.
    public static func invalidHeader(_ name: String) -> HTTPError { HTTPError(.invalidHeader(name)) }
    /// An error of kind ``HTTPErrorKind/invalidPath(_:)``.
    public static func invalidPath(_ path: String) -> HTTPError { HTTPError(.invalidPath(path)) }
    /// An error of kind ``HTTPErrorKind/encoding(_:)``.
    public static func encoding(_ name: String) -> HTTPError { HTTPError(.encoding(name)) }
    /// An error of kind ``HTTPErrorKind/noStub(_:)``.
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
    public static func engine(code: Int) -> HTTPError { HTTPError(.engine(code: code)) }
    /// An error of kind ``HTTPErrorKind/shutDown``.
    public static var shutDown: HTTPError { HTTPError(.shutDown) }
}
