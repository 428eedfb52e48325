/// The kind of an ``HTTPError``, also spelled `HTTPError.Kind`.
///
/// The set of kinds can grow. Compare with the members that you handle, and keep a branch for the rest.
public struct HTTPErrorKind: Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        case invalidURL(String), invalidMethod(String), invalidHeader(String), invalidPath(String)
        case encoding(String), unreadableFile(String), unwritableFile(String), bodyConsumed
        case engineUnavailable, configuration(String), shutDown, noStub(String)
        case hostNotFound(String), cannotConnect(String), tls(TLSFailure), insecureConnection(String)
        case connectionLost, timedOut, cancelled, invalidResponse, bodyTooLarge(limit: Int)
        case headersTooLarge(limit: Int), unsupportedCoding(String), engine(code: Int)
        case tooManyRedirects(limit: Int), insecureRedirect(String), insecureCredentials(String)
        case foreignSecrets(String)
        case status(Int), emptyResponse, decoding, stopped
        case queueFull(String), rateLimited(String), circuitOpen(String)
    }

    package let code: Code

    /// Whether no connection could be made, so that nothing was sent: ``hostNotFound(_:)`` and ``cannotConnect(_:)``.
    /// If the request was redirected, the servers before the last one have received it.
    ///
    /// A TLS handshake that fails is not included, because the server was reached: see ``tlsFailure``. Neither is
    /// ``timedOut``, because the request may have been sent.
    public var isConnectionFailure: Bool {
        switch code {
        case .hostNotFound, .cannotConnect: true
        default: false
        }
    }
    private init(_ code: Code) { self.code = code }

    /// The URL is not an absolute http or https URL, or could be read in two ways. Nothing was sent.
    ///
    /// - Parameter url: The text of the URL.
    /// - Returns: The kind.
    public static func invalidURL(_ url: String) -> Self { Self(.invalidURL(RedactedAddress.of(url))) }
    /// The method is not a token. Nothing was sent.
    ///
    /// - Parameter name: The method.
    /// - Returns: The kind.
    public static func invalidMethod(_ name: String) -> Self { Self(.invalidMethod(name)) }
    /// A header field with this name cannot be sent. Nothing was sent.
    ///
    /// If the name is a whole header line, only the text before the colon is kept, because a secret may follow.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: The kind.
    public static func invalidHeader(_ name: String) -> Self {
        Self(
            .invalidHeader(
                name.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""))
    }
    /// The path holds a value that is not a segment, such as `..` or an empty one. Nothing was sent.
    ///
    /// - Parameter path: The path.
    /// - Returns: The kind.
    public static func invalidPath(_ path: String) -> Self { Self(.invalidPath(path)) }
    /// The parameter or body of this name cannot be written in the requested encoding. Nothing was sent.
    ///
    /// - Parameter name: What cannot be encoded: the name of a value, or `the body`.
    /// - Returns: The kind.
    public static func encoding(_ name: String) -> Self { Self(.encoding(name)) }
    /// The file at this path cannot be read: it is missing, may not be read, is not a regular file, or changed while it
    /// was sent. It is also the kind for the file of a cookie jar that is damaged or has another format.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The kind.
    public static func unreadableFile(_ path: String) -> Self { Self(.unreadableFile(path)) }
    /// The file at this path, for a response's body or for cookies, cannot be written.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The kind.
    public static func unwritableFile(_ path: String) -> Self { Self(.unwritableFile(path)) }
    /// A body that can be read once was requested again: a stream that was sent before, or the bytes of a response that
    /// went to a file or stream.
    public static let bodyConsumed = Self(.bodyConsumed)
    /// The engine is not available, for example because libcurl is not installed. Nothing was sent.
    public static let engineUnavailable = Self(.engineUnavailable)
    /// The engine does not support this value of its configuration, or the value is not valid. The payload is the
    /// property of ``EngineConfiguration``, such as `"proxy"`. Nothing was sent.
    ///
    /// - Parameter property: The name of the property.
    /// - Returns: The kind.
    public static func configuration(_ property: String) -> Self { Self(.configuration(property)) }
    /// The engine was shut down before or during the request.
    public static let shutDown = Self(.shutDown)
    /// A stub transport has no stub for the request. The payload is the method and the path.
    ///
    /// - Parameter request: The method and the path of the request.
    /// - Returns: The kind.
    public static func noStub(_ request: String) -> Self { Self(.noStub(request)) }

    /// The host name has no address.
    ///
    /// - Parameter host: The host name.
    /// - Returns: The kind.
    public static func hostNotFound(_ host: String) -> Self { Self(.hostNotFound(host)) }
    /// No connection could be made to this origin.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func cannotConnect(_ origin: String) -> Self { Self(.cannotConnect(origin)) }
    /// The system forbids plain http to this origin (App Transport Security). Nothing was sent.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func insecureConnection(_ origin: String) -> Self { Self(.insecureConnection(origin)) }
    /// The TLS handshake failed. Nothing of the request was sent.
    ///
    /// - Parameter failure: The reason.
    /// - Returns: The kind.
    public static func tls(_ failure: TLSFailure) -> Self { Self(.tls(failure)) }
    /// The connection ended before the response did.
    public static let connectionLost = Self(.connectionLost)
    /// A time limit was exceeded.
    public static let timedOut = Self(.timedOut)
    /// The request was cancelled.
    public static let cancelled = Self(.cancelled)
    /// The response is not valid HTTP, or it is not the part of the body that a resumed download asked for.
    public static let invalidResponse = Self(.invalidResponse)
    /// The response's body is larger than `limit` bytes.
    ///
    /// - Parameter limit: The limit, in bytes.
    /// - Returns: The kind.
    public static func bodyTooLarge(limit: Int) -> Self { Self(.bodyTooLarge(limit: limit)) }
    /// The response's body has a coding that is not supported, such as `br`. The payload is the value of its
    /// `Content-Encoding` or `Transfer-Encoding` (RFC 9110 section 8.4, RFC 9112 section 6.1). The error's response has
    /// the status and the header fields, and no body.
    ///
    /// - Parameter coding: The name of the coding.
    /// - Returns: The kind.
    public static func unsupportedCoding(_ coding: String) -> Self { Self(.unsupportedCoding(coding)) }
    /// The response's header fields are larger than `limit` bytes.
    ///
    /// - Parameter limit: The limit, in bytes.
    /// - Returns: The kind.
    public static func headersTooLarge(limit: Int) -> Self { Self(.headersTooLarge(limit: limit)) }
    /// The request was redirected more than `limit` times, usually in a loop. The error's response is the last
    /// redirect.
    ///
    /// - Parameter limit: The maximum number of redirects.
    /// - Returns: The kind.
    public static func tooManyRedirects(limit: Int) -> Self { Self(.tooManyRedirects(limit: limit)) }
    /// A redirect leads from https to http at this origin. It was not followed.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func insecureRedirect(_ origin: String) -> Self { Self(.insecureRedirect(origin)) }
    /// A redirect or an interceptor would send a body or a path with secrets to this origin, which is not the one that
    /// the request was made for. Nothing was sent there.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func foreignSecrets(_ origin: String) -> Self { Self(.foreignSecrets(origin)) }
    /// Credentials would be sent to this origin over plain http. Nothing was sent.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func insecureCredentials(_ origin: String) -> Self { Self(.insecureCredentials(origin)) }
    /// The engine failed for a reason that has no kind of its own. The payload is the engine's error code.
    ///
    /// - Parameter code: The engine's error code.
    /// - Returns: The kind.
    public static func engine(code: Int) -> Self { Self(.engine(code: code)) }

    /// The queue of a bulkhead is full (HalyardLimits). Nothing was sent.
    ///
    /// - Parameter key: What the bulkhead counts by, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func queueFull(_ key: String) -> Self { Self(.queueFull(key)) }
    /// A request would wait longer for a rate limit than the limit allows (HalyardLimits). Nothing was sent.
    /// ``HTTPError/retryDelay`` is the time until it could be sent.
    ///
    /// - Parameter key: What the limit counts by, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func rateLimited(_ key: String) -> Self { Self(.rateLimited(key)) }
    /// The circuit of this origin is open, because requests to it have failed (HalyardLimits). Nothing was sent.
    /// ``HTTPError/retryDelay`` is the time until the next request is sent there.
    ///
    /// - Parameter origin: The origin, such as `https://api.example.com`.
    /// - Returns: The kind.
    public static func circuitOpen(_ origin: String) -> Self { Self(.circuitOpen(origin)) }

    /// Whether a limit of the client refused the request, so that nothing was sent: ``queueFull(_:)``,
    /// ``rateLimited(_:)`` and ``circuitOpen(_:)``.
    public var isRefusal: Bool {
        switch code {
        case .queueFull, .rateLimited, .circuitOpen: true
        default: false
        }
    }

    /// The status of a kind that ``status(_:)`` made; `nil` for any other kind: `catch let error as HTTPError where
    /// error.kind.status != nil`.
    public var status: Int? {
        if case .status(let status) = code { status } else { nil }
    }

    /// The reason of a kind that ``tls(_:)`` made; `nil` for any other kind.
    public var tlsFailure: TLSFailure? {
        if case .tls(let failure) = code { failure } else { nil }
    }

    /// The response's status is not accepted as success.
    ///
    /// - Parameter status: The status code.
    /// - Returns: The kind.
    public static func status(_ status: Int) -> Self { Self(.status(status)) }
    /// The response has no body, and a value was requested.
    public static let emptyResponse = Self(.emptyResponse)
    /// The body cannot be decoded: it is not JSON, or not of the requested type.
    public static let decoding = Self(.decoding)
    /// The provider's `shouldContinue(with:)` returned `false`. ``HTTPError/cause`` is the error that it received.
    public static let stopped = Self(.stopped)

    /// The reason why a TLS connection failed.
    public struct TLSFailure: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// A short code, such as `expired`. It does not change between releases.
        public let rawValue: String
        /// Makes another reason, for a custom transport. Its ``description`` is the code.
        ///
        /// - Parameter rawValue: The code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The certificate has expired or is not yet valid.
        public static let expired = TLSFailure(rawValue: "expired")
        /// The certificate is for another host.
        public static let wrongHost = TLSFailure(rawValue: "wrongHost")
        /// The certificate is self-signed.
        public static let selfSigned = TLSFailure(rawValue: "selfSigned")
        /// The certificate does not lead to a trusted root.
        public static let unknownRoot = TLSFailure(rawValue: "unknownRoot")
        /// None of the server's keys matches a pin for the host.
        public static let wrongPin = TLSFailure(rawValue: "wrongPin")
        /// The certificate is not valid for any other reason.
        public static let badCertificate = TLSFailure(rawValue: "badCertificate")
        /// The two sides have no protocol version or cipher in common, or one of them ended the handshake.
        public static let handshake = TLSFailure(rawValue: "handshake")

        /// The reason in words, such as `the certificate is for another host`.
        public var description: String {
            switch self {
            case .expired: "the certificate has expired or is not yet valid"
            case .wrongHost: "the certificate is for another host"
            case .selfSigned: "the certificate is self-signed"
            case .unknownRoot: "the certificate's issuer is not trusted"
            case .wrongPin: "the server's key is not pinned"
            case .badCertificate: "the certificate is not valid"
            case .handshake: "the handshake failed"
            default: rawValue
            }
        }
    }
}
