/// The kinds of errors. The set can grow: compare with the members that you handle, keep a branch for the rest.
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
    }

    package let code: Code

    /// Whether there was no connection, and so nothing was sent.
    package var isOfConnecting: Bool {
        switch code {
        case .hostNotFound, .cannotConnect: true
        default: false
        }
    }
    private init(_ code: Code) { self.code = code }

    /// The URL is not an absolute http or https URL, or could be read in two ways. Nothing was sent.
    public static func invalidURL(_ url: String) -> Self { Self(.invalidURL(RedactedAddress.of(url))) }
    /// The method is not a token. Nothing was sent.
    public static func invalidMethod(_ name: String) -> Self { Self(.invalidMethod(name)) }
    /// The header of that name may not be sent as it is. Nothing was sent.
    /// Of a name that is a whole line the part before the colon is kept: behind it may stand a secret.
    public static func invalidHeader(_ name: String) -> Self {
        Self(
            .invalidHeader(
                name.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""))
    }
    /// The path has a value that is no segment, such as `..` or an empty one. Nothing was sent.
    public static func invalidPath(_ path: String) -> Self { Self(.invalidPath(path)) }
    /// The parameter, or the body, cannot be written in the encoding asked for. Nothing was sent.
    public static func encoding(_ name: String) -> Self { Self(.encoding(name)) }
    /// The file cannot be sent: it is missing, may not be read, is no regular file, or shrank while it was sent. Or it
    /// is to be a cookie jar's, and is something else.
    public static func unreadableFile(_ path: String) -> Self { Self(.unreadableFile(path)) }
    /// The file that a response was to go to, or a jar's cookies, cannot be written.
    public static func unwritableFile(_ path: String) -> Self { Self(.unwritableFile(path)) }
    /// A body that can be read once was wanted again: a stream that was sent, or a response that went to a file or
    /// stream and is asked for its bytes.
    public static let bodyConsumed = Self(.bodyConsumed)
    /// The engine that sends requests is not there, libcurl for one. Nothing was sent.
    public static let engineUnavailable = Self(.engineUnavailable)
    /// What the engine was told when it was made cannot be done by it, or makes no sense. The payload is the property
    /// of ``EngineConfiguration``, such as `"proxy"`. Nothing was sent.
    public static func configuration(_ property: String) -> Self { Self(.configuration(property)) }
    /// The engine was shut down, before the request or while it was on its way.
    public static let shutDown = Self(.shutDown)
    /// A stub transport was asked for what nobody stubbed. The payload is method and path.
    public static func noStub(_ request: String) -> Self { Self(.noStub(request)) }

    /// The name of the host has no address.
    public static func hostNotFound(_ host: String) -> Self { Self(.hostNotFound(host)) }
    /// Nothing accepts connections there, or there is no way there. The payload is an origin.
    public static func cannotConnect(_ origin: String) -> Self { Self(.cannotConnect(origin)) }
    /// The system refuses http to this origin: App Transport Security of Apple's systems. Nothing was sent.
    public static func insecureConnection(_ origin: String) -> Self { Self(.insecureConnection(origin)) }
    /// The TLS handshake failed. Nothing of the request was sent.
    public static func tls(_ failure: TLSFailure) -> Self { Self(.tls(failure)) }
    /// The connection ended before the response did.
    public static let connectionLost = Self(.connectionLost)
    /// A time limit passed.
    public static let timedOut = Self(.timedOut)
    /// The request was cancelled.
    public static let cancelled = Self(.cancelled)
    /// What came back is not HTTP, or not the rest of the body that a download was to be resumed with.
    public static let invalidResponse = Self(.invalidResponse)
    /// The response's body is larger than the limit, in bytes.
    public static func bodyTooLarge(limit: Int) -> Self { Self(.bodyTooLarge(limit: limit)) }
    /// The response's body is in a coding that is not undone, such as `br`. The payload is the value of its
    /// `Content-Encoding` or `Transfer-Encoding` (RFC 9110 section 8.4, RFC 9112 section 6.1). The error's response has
    /// the status and the header fields, and no body.
    public static func unsupportedCoding(_ coding: String) -> Self { Self(.unsupportedCoding(coding)) }
    /// The response's header fields are larger than the limit, in bytes.
    public static func headersTooLarge(limit: Int) -> Self { Self(.headersTooLarge(limit: limit)) }
    /// The request was redirected once more than the policy allows: in a circle, most often. The response is the one
    /// that redirects.
    public static func tooManyRedirects(limit: Int) -> Self { Self(.tooManyRedirects(limit: limit)) }
    /// A redirect leads from https to http, to this origin, and was not followed.
    public static func insecureRedirect(_ origin: String) -> Self { Self(.insecureRedirect(origin)) }
    /// A redirect or an interceptor sends a body with secrets to this origin, which is not the one that it was made
    /// for. Nothing was sent there.
    public static func foreignSecrets(_ origin: String) -> Self { Self(.foreignSecrets(origin)) }
    /// Credentials would have gone to this origin over http, where anybody on the way can read them. Nothing was sent.
    public static func insecureCredentials(_ origin: String) -> Self { Self(.insecureCredentials(origin)) }
    /// The engine failed in a way that has no name here; the code is the engine's own.
    public static func engine(code: Int) -> Self { Self(.engine(code: code)) }

    /// The status of a kind that ``status(_:)`` made: `catch let error as HTTPError where error.kind.status != nil`.
    public var status: Int? {
        if case .status(let status) = code { status } else { nil }
    }

    /// The response's status is not what the provider takes for success.
    public static func status(_ status: Int) -> Self { Self(.status(status)) }
    /// There is no body where a value was asked for.
    public static let emptyResponse = Self(.emptyResponse)
    /// The body is not what was asked for: not JSON, or not of that type.
    public static let decoding = Self(.decoding)
    /// The provider's `shouldContinue` said no. ``HTTPError/cause`` is the error that it was asked about.
    public static let stopped = Self(.stopped)

    /// Why a TLS connection was refused.
    public struct TLSFailure: Hashable, Sendable, RawRepresentable {
        /// The reason in words.
        public let rawValue: String
        /// A reason of a transport of one's own.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The certificate's time has passed, or not come.
        public static let expired = TLSFailure(rawValue: "the certificate has expired or is not yet valid")
        /// The certificate is for another host.
        public static let wrongHost = TLSFailure(rawValue: "the certificate is for another host")
        /// The certificate is signed by itself.
        public static let selfSigned = TLSFailure(rawValue: "the certificate is self-signed")
        /// No root that is trusted stands behind the certificate.
        public static let unknownRoot = TLSFailure(rawValue: "the certificate's issuer is not trusted")
        /// None of the server's keys is one that is pinned for the host.
        public static let wrongPin = TLSFailure(rawValue: "the server's key is none of those that are pinned")
        /// The certificate cannot be used for another reason than these.
        public static let badCertificate = TLSFailure(rawValue: "the certificate is not valid")
        /// The two sides found no protocol version or cipher in common, or one broke off.
        public static let handshake = TLSFailure(rawValue: "the handshake failed")
    }
}
