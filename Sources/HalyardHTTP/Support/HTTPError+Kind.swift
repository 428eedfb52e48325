extension HTTPError {
    /// What went wrong.
    ///
    /// More kinds may be added, so keep a `default` in a `switch`.
    ///
    /// ```swift
    /// switch error.kind {
    /// case .status(let code): show("the server answered \(code)")
    /// case .timedOut, .connectionLost: offerToRepeat()
    /// default: show(error.localizedDescription)
    /// }
    /// ```
    public enum Kind: Equatable, Sendable {
        /// The URL is not an absolute http or https URL, or is ambiguous. Nothing was sent.
        case invalidURL(String)
        /// The method is not a token. Nothing was sent.
        case invalidMethod(String)
        /// A header with this name cannot be sent. Nothing was sent.
        ///
        /// If the name is a whole header line, only the text before the colon is kept, because a secret may follow.
        case invalidHeader(String)
        /// The path contains a value that is not a segment, such as `..` or an empty one. Nothing was sent.
        case invalidPath(String)
        /// The parameter or body with this name cannot be written in the requested encoding. Nothing was sent.
        case encoding(String)
        /// The file at this path cannot be read: it is missing, unreadable, not a regular file, or changed while it was
        /// sent. The kind also applies to a cookie jar's file that is damaged or has another format.
        case unreadableFile(String)
        /// The file at this path, for a response's body or for cookies, cannot be written.
        case unwritableFile(String)
        /// A body that can be read only once was requested again: a stream that was already sent, or the bytes of a
        /// response that went to a file or stream.
        case bodyConsumed
        /// The engine is not available, for example because libcurl is not installed. Nothing was sent.
        case engineUnavailable
        /// The engine does not support this value of its configuration, or the value is invalid. The payload is the
        /// property of ``EngineConfiguration``, such as `"proxy"`. Nothing was sent.
        case configuration(String)
        /// The engine was shut down before or during the request.
        case shutDown
        /// A stub transport has no stub for the request. The payload is the method and the path.
        case noStub(String)

        /// The host name has no address.
        case hostNotFound(String)
        /// No connection could be made to this origin.
        case cannotConnect(String)
        /// The system forbids plain http to this origin (App Transport Security). Nothing was sent.
        case insecureConnection(String)
        /// The TLS handshake failed. No part of the request was sent.
        case tls(TLSFailure)
        /// The connection closed before the response was complete.
        case connectionLost
        /// A timeout expired.
        case timedOut
        /// The request was cancelled.
        case cancelled
        /// The response is not valid HTTP, or it is not the range that a resumed download asked for.
        case invalidResponse
        /// The downloaded file has another SHA-256 than the one that you gave, or that the server stated for a download
        /// over several connections. Both are 64 hexadecimal digits.
        case digestMismatch(expected: String, actual: String)
        /// The response's body is larger than `limit` bytes.
        case bodyTooLarge(limit: Int)
        /// The response's body has an unsupported coding, such as `br`. The payload is the value of its
        /// `Content-Encoding` or `Transfer-Encoding` (RFC 9110 section 8.4, RFC 9112 section 6.1). The error's response
        /// has the status and the headers, but no body.
        case unsupportedCoding(String)
        /// The response's headers are larger than `limit` bytes.
        case headersTooLarge(limit: Int)
        /// The request was redirected more than `limit` times, usually because of a loop. The error's response is the
        /// last redirect.
        case tooManyRedirects(limit: Int)
        /// A redirect from https leads to this http origin. It was not followed.
        case insecureRedirect(String)
        /// A redirect or an interceptor would send a body or path with secrets to this origin, which is not the one
        /// that the request was created for. Nothing was sent there.
        case foreignSecrets(String)
        /// Credentials would be sent to this origin over plain http. Nothing was sent.
        case insecureCredentials(String)
        /// The engine failed for a reason that has no kind of its own. The payload is the engine's error code.
        case engine(code: Int)

        /// The queue of a bulkhead is full (HalyardLimits). Nothing was sent.
        case queueFull(String)
        /// A rate limit would make the request wait longer than it allows (HalyardLimits). Nothing was sent.
        /// ``HTTPError/retryDelay`` is the time until the request could be sent.
        case rateLimited(String)
        /// The circuit of this origin is open because requests to it have failed (HalyardLimits). Nothing was sent.
        /// ``HTTPError/retryDelay`` is the time until the next request is sent there.
        case circuitOpen(String)

        /// The response's status does not count as success.
        case status(Int)
        /// The response has no body, but a value was requested.
        case emptyResponse
        /// The body cannot be decoded: it is not JSON, or does not fit the requested type. The kind also applies to a
        /// header that is not the structured field that was asked for.
        case decoding
        /// The provider's `shouldContinue(with:)` returned `false`. ``HTTPError/cause`` is the error that it received.
        case stopped

        /// Whether no connection could be made, so nothing was sent: `hostNotFound` and `cannotConnect`. If the request
        /// was redirected, earlier servers have received it.
        ///
        /// A failed TLS handshake is not included, because the server was reached. Neither is `timedOut`, because the
        /// request may have been sent.
        public var isConnectionFailure: Bool {
            switch self {
            case .hostNotFound, .cannotConnect: true
            default: false
            }
        }

        /// Whether a limit of the client refused the request, so nothing was sent: `queueFull`, `rateLimited` and
        /// `circuitOpen`.
        public var isRefusal: Bool {
            switch self {
            case .queueFull, .rateLimited, .circuitOpen: true
            default: false
            }
        }

        /// The kind without a secret in its payload: URLs have no credentials and no query, and of a whole header line
        /// only the name is left.
        var withoutSecrets: Kind {
            switch self {
            case .invalidURL(let url): .invalidURL(RedactedAddress.of(url))
            case .invalidHeader(let name): .invalidHeader(String(name.prefix { $0 != ":" }))
            default: self
            }
        }
    }

    /// The reason why a TLS connection failed. More may be added.
    public enum TLSFailure: Sendable, CustomStringConvertible {
        /// The certificate has expired or is not yet valid.
        case expired
        /// The certificate is for another host.
        case wrongHost
        /// The certificate is self-signed.
        case selfSigned
        /// The certificate chain does not lead to a trusted root.
        case unknownRoot
        /// None of the server's keys matches a pin for the host.
        case wrongPin
        /// The certificate is invalid for another reason.
        case badCertificate
        /// The two sides have no protocol version or cipher in common, or one of them aborted the handshake.
        case handshake

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
            }
        }
    }
}
