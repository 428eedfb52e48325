extension HTTPError {
    /// The kinds of errors.
    public typealias Kind = HTTPErrorKind

    /// The reasons for which a TLS connection fails.
    public typealias TLSFailure = HTTPErrorKind.TLSFailure
}

// The kinds as errors: what `error ==` and `catch` are written with.
extension HTTPError {
    /// An error of kind ``Kind/status(_:)``.
    public static func status(_ status: Int) -> HTTPError { HTTPError(.status(status)) }
    /// An error of kind ``Kind/tls(_:)``.
    public static func tls(_ failure: TLSFailure) -> HTTPError { HTTPError(.tls(failure)) }
    /// An error of kind ``Kind/hostNotFound(_:)``.
    public static func hostNotFound(_ host: String) -> HTTPError { HTTPError(.hostNotFound(host)) }
    /// An error of kind ``Kind/cannotConnect(_:)``.
    public static func cannotConnect(_ origin: String) -> HTTPError { HTTPError(.cannotConnect(origin)) }
    /// See ``Kind/insecureConnection(_:)``.
    public static func insecureConnection(_ origin: String) -> HTTPError { HTTPError(.insecureConnection(origin)) }
    /// An error of kind ``Kind/bodyTooLarge(limit:)``.
    public static func bodyTooLarge(limit: Int) -> HTTPError { HTTPError(.bodyTooLarge(limit: limit)) }
    /// An error of kind ``Kind/headersTooLarge(limit:)``.
    public static func headersTooLarge(limit: Int) -> HTTPError { HTTPError(.headersTooLarge(limit: limit)) }
    /// An error of kind ``Kind/unsupportedCoding(_:)``.
    public static func unsupportedCoding(_ coding: String) -> HTTPError { HTTPError(.unsupportedCoding(coding)) }
    /// See ``Kind/tooManyRedirects(limit:)``.
    public static func tooManyRedirects(limit: Int) -> HTTPError { HTTPError(.tooManyRedirects(limit: limit)) }
    /// See ``Kind/insecureRedirect(_:)``.
    public static func insecureRedirect(_ origin: String) -> HTTPError { HTTPError(.insecureRedirect(origin)) }
    /// See ``Kind/foreignSecrets(_:)``.
    public static func foreignSecrets(_ origin: String) -> HTTPError { HTTPError(.foreignSecrets(origin)) }
    /// See ``Kind/insecureCredentials(_:)``.
    public static func insecureCredentials(_ origin: String) -> HTTPError { HTTPError(.insecureCredentials(origin)) }
    /// An error of kind ``Kind/configuration(_:)``.
    public static func configuration(_ property: String) -> HTTPError { HTTPError(.configuration(property)) }
    /// An error of kind ``Kind/emptyResponse``.
    public static var emptyResponse: HTTPError { HTTPError(.emptyResponse) }
    /// An error of kind ``Kind/unreadableFile(_:)``.
    public static func unreadableFile(_ path: String) -> HTTPError { HTTPError(.unreadableFile(path)) }
    /// An error of kind ``Kind/unwritableFile(_:)``.
    public static func unwritableFile(_ path: String) -> HTTPError { HTTPError(.unwritableFile(path)) }
    /// An error of kind ``Kind/bodyConsumed``.
    public static var bodyConsumed: HTTPError { HTTPError(.bodyConsumed) }
    /// An error of kind ``Kind/invalidURL(_:)``.
    public static func invalidURL(_ url: String) -> HTTPError { HTTPError(.invalidURL(url)) }
    /// An error of kind ``Kind/invalidMethod(_:)``.
    public static func invalidMethod(_ name: String) -> HTTPError { HTTPError(.invalidMethod(name)) }
    /// An error of kind ``Kind/invalidHeader(_:)``.
    public static func invalidHeader(_ name: String) -> HTTPError { HTTPError(.invalidHeader(name)) }
    /// An error of kind ``Kind/invalidPath(_:)``.
    public static func invalidPath(_ path: String) -> HTTPError { HTTPError(.invalidPath(path)) }
    /// An error of kind ``Kind/encoding(_:)``.
    public static func encoding(_ name: String) -> HTTPError { HTTPError(.encoding(name)) }
    /// An error of kind ``Kind/noStub(_:)``.
    public static func noStub(_ request: String) -> HTTPError { HTTPError(.noStub(request)) }
    /// An error of kind ``Kind/decoding``.
    public static var decoding: HTTPError { HTTPError(.decoding) }
    /// An error of kind ``Kind/stopped``.
    public static var stopped: HTTPError { HTTPError(.stopped) }
    /// An error of kind ``Kind/cancelled``.
    public static var cancelled: HTTPError { HTTPError(.cancelled) }
    /// An error of kind ``Kind/timedOut``.
    public static var timedOut: HTTPError { HTTPError(.timedOut) }
    /// An error of kind ``Kind/connectionLost``.
    public static var connectionLost: HTTPError { HTTPError(.connectionLost) }
    /// An error of kind ``Kind/invalidResponse``.
    public static var invalidResponse: HTTPError { HTTPError(.invalidResponse) }
    /// An error of kind ``Kind/engineUnavailable``.
    public static var engineUnavailable: HTTPError { HTTPError(.engineUnavailable) }
    /// An error of kind ``Kind/shutDown``.
    public static var shutDown: HTTPError { HTTPError(.shutDown) }
}
