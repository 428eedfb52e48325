import HalyardHTTP

/// The settings of one request, which take precedence over those of its client and provider.
///
/// Set them on a route or an endpoint:
///
/// ```swift
/// static let report = Route(path: "/report").timeout(.seconds(120)).retry(.upTo(attempts: 3))
/// static let save = Endpoint(.put, "/users/{id}", .path("id"), .json(User.self)).retry(.never)
/// ```
public struct RequestOptions: Sendable {
    /// Values for the stages of extension modules, by their types.
    package typealias Extensions = [ObjectIdentifier: any Sendable]

    /// The timeout for the whole request, including all redirects, retries and waits. Defaults to the client's.
    public var timeout: Duration?
    /// The timeout for name lookup, connecting and TLS. Defaults to the client's.
    public var connectTimeout: Duration?
    /// The maximum time without any bytes in either direction. Defaults to the client's.
    ///
    /// A request that waits for events can have a long timeout while the client's other requests have a short one.
    public var idleTimeout: Duration?
    /// The maximum number of response bytes that are kept in memory. Defaults to the client's.
    public var memoryLimit: Int?
    /// The redirect policy. Defaults to the client's.
    public var redirects: RedirectPolicy?
    /// The retry policy. Defaults to the client's.
    public var retry: RetryPolicy?
    /// The compression of the body. Defaults to the client's.
    public var compression: BodyCompression?
    /// Whether the server is asked before a body is sent. Defaults to `false`. See
    /// ``RequestConfigurable/expectingContinue()``.
    public var expectsContinue = false
    /// The mapper that reads and writes objects. Defaults to the provider's.
    public var mapper: ObjectMapper?
    /// The error types that precede the provider's. Defaults to none.
    public var failures: Failures?
    /// Receives interim responses as they arrive. See ``TransferContext``.
    package var informational: (@Sendable (HTTPResponse) -> Void)?
    private(set) var extensions: Extensions = [:]

    /// Creates options that leave every setting to the client and the provider.
    public init() {}

    /// The value of a type, for a stage of an extension module. Defaults to `nil`.
    package subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { extensions[ObjectIdentifier(type)] as? Value }
        set { extensions[ObjectIdentifier(type)] = newValue }
    }
}

/// A description of a request with ``RequestOptions``: a ``Route`` or an `Endpoint`.
public protocol RequestConfigurable {
    /// Returns a copy with changed options.
    func configured(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> Self
}

extension RequestConfigurable {
    /// Returns a copy with a timeout for the whole request, including all redirects, retries and waits.
    public func timeout(_ limit: Duration) -> Self { configured { $0.timeout = limit } }

    /// Returns a copy with a timeout for name lookup, connecting and TLS. URLSession's engine fails such a request.
    public func connectTimeout(_ limit: Duration) -> Self { configured { $0.connectTimeout = limit } }

    /// Returns a copy with a timeout for periods without any bytes in either direction.
    ///
    /// ```swift
    /// static let events = Route(path: "/events").idleTimeout(.seconds(3600))
    /// ```
    public func idleTimeout(_ limit: Duration) -> Self { configured { $0.idleTimeout = limit } }

    /// Returns a copy that limits the size of a response in memory. A longer body is an ``HTTPError`` of kind
    /// `bodyTooLarge`.
    public func memoryLimit(_ bytes: Int) -> Self { configured { $0.memoryLimit = bytes } }

    /// Returns a copy with a redirect policy.
    public func redirects(_ policy: RedirectPolicy) -> Self { configured { $0.redirects = policy } }

    /// Returns a copy with a retry policy.
    public func retry(_ policy: RetryPolicy) -> Self { configured { $0.retry = policy } }

    /// Returns a copy that reads and writes objects with a mapper.
    public func mapper(_ mapper: ObjectMapper) -> Self { configured { $0.mapper = mapper } }

    /// Returns a copy whose body is compressed; see ``BodyCompression``. With ``BodyCompression/none``, the body is
    /// sent as it is, even if the client compresses others.
    public func compressed(_ compression: BodyCompression = .gzip) -> Self {
        configured { $0.compression = compression }
    }

    /// Returns a copy that sends `Expect: 100-continue` (RFC 9110 section 10.1.1): the engine sends the body only after
    /// the server's 100, so that a refusal costs no upload. By default, the body is sent at once.
    ///
    /// Use it for large bodies that a server may refuse because of their size or for missing credentials. A server that
    /// sends no 100 costs a second, and any other a round trip. Over HTTP/2, older releases of libcurl do not wait.
    /// Over URLSession, the system decides how long it waits.
    public func expectingContinue() -> Self { configured { $0.expectsContinue = true } }

    /// Returns a copy with error types that precede the provider's.
    public func failures(_ failures: Failures) -> Self { configured { $0.failures = failures } }
}
