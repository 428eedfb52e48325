import HalyardHTTP

/// Settings of one request, which take precedence over those of its client and provider.
///
/// They are set on a route or an endpoint:
///
/// ```swift
/// static let report = Route(path: "/report").timeout(.seconds(120)).retry(.upTo(attempts: 3))
/// static let save = Endpoint(.put, "/users/{id}", .path("id"), .json(User.self)).retry(.never)
/// ```
public struct RequestOptions: Sendable {
    private struct Fields: Sendable {
        var timeout: Duration?
        var connectTimeout: Duration?
        var idleTimeout: Duration?
        var memoryLimit: Int?
        var redirects: RedirectPolicy?
        var retry: RetryPolicy?
        var compression: BodyCompression?
        var mapper: ObjectMapper?
        var failures: Failures?
        var extensions: Extensions = [:]
    }

    /// Values for the stages of extension modules, by their types.
    package typealias Extensions = [ObjectIdentifier: any Sendable]

    /// `nil` if every setting has its default. Most routes are such, and a route is copied often.
    private var storage: COWStorage<Fields>?

    /// The fields for a change.
    private var unique: COWStorage<Fields>.Buffer {
        mutating get {
            var storage = self.storage ?? COWStorage(Fields())
            self.storage = nil
            defer { self.storage = storage }
            return storage.unique
        }
    }

    /// The time limit of the whole request, with all redirects, retries and waits. Defaults to the client's.
    public var timeout: Duration? {
        get { storage?.fields.timeout }
        set { unique.fields.timeout = newValue }
    }

    /// The time limit for name lookup, connecting and TLS. Defaults to the client's.
    public var connectTimeout: Duration? {
        get { storage?.fields.connectTimeout }
        set { unique.fields.connectTimeout = newValue }
    }

    /// The maximum time without any bytes in either direction. Defaults to the client's.
    ///
    /// A request that watches for events can have a long one, while the client's other requests have a short one.
    public var idleTimeout: Duration? {
        get { storage?.fields.idleTimeout }
        set { unique.fields.idleTimeout = newValue }
    }

    /// The maximum number of bytes of the response that are kept in memory. Defaults to the client's.
    public var memoryLimit: Int? {
        get { storage?.fields.memoryLimit }
        set { unique.fields.memoryLimit = newValue }
    }

    /// The redirect policy. Defaults to the client's.
    public var redirects: RedirectPolicy? {
        get { storage?.fields.redirects }
        set { unique.fields.redirects = newValue }
    }

    /// The retry policy. Defaults to the client's.
    public var retry: RetryPolicy? {
        get { storage?.fields.retry }
        set { unique.fields.retry = newValue }
    }

    /// How the body is compressed. Defaults to the client's.
    public var compression: BodyCompression? {
        get { storage?.fields.compression }
        set { unique.fields.compression = newValue }
    }

    /// How objects are read and written. Defaults to the provider's.
    public var mapper: ObjectMapper? {
        get { storage?.fields.mapper }
        set { unique.fields.mapper = newValue }
    }

    /// Error types that precede the provider's. Defaults to none.
    public var failures: Failures? {
        get { storage?.fields.failures }
        set { unique.fields.failures = newValue }
    }

    /// The values for the stages of extension modules. `nil` if there are none.
    var extensions: Extensions? { storage?.fields.extensions.isEmpty == false ? storage?.fields.extensions : nil }

    /// The value of a type, for a stage of an extension module. Defaults to `nil`.
    package subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { storage?.fields.extensions[ObjectIdentifier(type)] as? Value }
        set { unique.fields.extensions[ObjectIdentifier(type)] = newValue }
    }

    /// Makes options that leave every setting to the client and the provider.
    public init() {}
}

/// A description of a request with ``RequestOptions``: a ``Route`` or an `Endpoint`.
public protocol RequestConfigurable {
    /// Returns a copy with changed options.
    func configured(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> Self
}

extension RequestConfigurable {
    /// Returns a copy with a time limit for the whole request.
    ///
    /// - Parameter limit: The limit, with all redirects, retries and waits.
    public func timeout(_ limit: Duration) -> Self { configured { $0.timeout = limit } }

    /// Returns a copy with a time limit for name lookup, connecting and TLS.
    ///
    /// - Parameter limit: The limit. URLSession's engine fails a request that has one.
    public func connectTimeout(_ limit: Duration) -> Self { configured { $0.connectTimeout = limit } }

    /// Returns a copy with a limit for the time without any bytes in either direction.
    ///
    /// ```swift
    /// static let events = Route(path: "/events").idleTimeout(.seconds(3600))
    /// ```
    public func idleTimeout(_ limit: Duration) -> Self { configured { $0.idleTimeout = limit } }

    /// Returns a copy with a limit for a response that is kept in memory.
    ///
    /// - Parameter bytes: The maximum number of bytes. A longer body is an ``HTTPError`` of kind `bodyTooLarge`.
    public func memoryLimit(_ bytes: Int) -> Self { configured { $0.memoryLimit = bytes } }

    /// Returns a copy with a redirect policy.
    public func redirects(_ policy: RedirectPolicy) -> Self { configured { $0.redirects = policy } }

    /// Returns a copy with a retry policy.
    public func retry(_ policy: RetryPolicy) -> Self { configured { $0.retry = policy } }

    /// Returns a copy whose objects are read and written by a mapper.
    public func mapper(_ mapper: ObjectMapper) -> Self { configured { $0.mapper = mapper } }

    /// Returns a copy whose body is compressed.
    ///
    /// - Parameter compression: The compression. Defaults to ``BodyCompression/gzip``. With ``BodyCompression/none``
    ///   the body is sent as it is, although the client compresses others.
    /// - Returns: The copy. Its body is compressed when the request is built or sent; see ``BodyCompression``.
    public func compressed(_ compression: BodyCompression = .gzip) -> Self {
        configured { $0.compression = compression }
    }

    /// Returns a copy with error types that precede the provider's.
    public func failures(_ failures: Failures) -> Self { configured { $0.failures = failures } }
}
