/// What an engine is told once, when it is made: connections, TLS, proxy, limits. Every engine takes the same.
///
/// ```swift
/// let engine = EngineConfiguration(connectionsPerHost: 8, proxy: .http("proxy.example.com", port: 3128))
/// let client = HTTPClient(engine: engine)
/// ```
///
/// What an engine cannot do is never left out in silence: its requests end with ``HTTPError`` of kind `configuration`,
/// which names the property, before anything is sent.
public struct EngineConfiguration: Sendable, Hashable {
    /// The most time for looking up a name, connecting and the TLS handshake. 15 seconds; `nil` sets no limit.
    /// A transfer's own ``TransferContext/connectTimeout`` stands over it.
    public var connectTimeout: Duration? = .seconds(15)
    /// The most time in which not one byte moves, either way. 60 seconds; `nil` sets no limit. A transfer's own
    /// ``TransferContext/idleTimeout`` stands over it.
    public var idleTimeout: Duration? = .seconds(60)

    /// The most connections to one scheme, host and port at a time, at least 1. 64; a transfer that finds them busy
    /// waits, and its timeout counts. Over libcurl a proxy is one host for all that is on http.
    public var connectionsPerHost = 64
    /// The most connections in all, at least 1. `nil`: a quarter of the descriptors that the process may open.
    public var connectionLimit: Int?
    /// How long an idle connection may be used again, to the second. 118 seconds: less than the two minutes after which
    /// many servers close theirs.
    public var keepAlive: Duration = .seconds(118)
    /// Which versions of HTTP are spoken. ``HTTPVersion/automatic``.
    public var httpVersion = HTTPVersion.automatic

    /// Roots, pins, client certificate, the oldest version.
    public var tls = TLS()
    /// The way out. The environment's, or the system's, unless given.
    public var proxy = Proxy.system
    /// The path of a Unix domain socket to which every connection goes, whatever the host; the host is still what
    /// `Host` and certificates go by.
    public var unixSocket: String?
    /// Addresses that stand in for a name lookup, by host and port: `["api.example.com:443": ["127.0.0.1"]]`.
    public var addresses: [String: [String]] = [:]
    /// The interface, address or host name of this machine from which connections are made.
    public var localInterface: String?

    /// Whether compressed responses are asked for and read. On unless ``Decompression/off``.
    public var decompression = Decompression()
    /// The most bytes of a response's header fields, with those of the 1xx before it and of its trailers. 256 KiB.
    public var headerLimit = 256 << 10
    /// The most bytes of a response's body, wherever it goes, decompressed. `nil` sets no limit beside the one of a
    /// body in memory.
    public var bodyLimit: Int?

    /// All defaults.
    public init() {}

    /// The defaults, but for what is given.
    public init(
        connectTimeout: Duration? = .seconds(15),
        idleTimeout: Duration? = .seconds(60),
        connectionsPerHost: Int = 64,
        connectionLimit: Int? = nil,
        keepAlive: Duration = .seconds(118),
        httpVersion: HTTPVersion = .automatic,
        tls: TLS = TLS(),
        proxy: Proxy = .system,
        unixSocket: String? = nil,
        addresses: [String: [String]] = [:],
        localInterface: String? = nil,
        decompression: Decompression = Decompression(),
        headerLimit: Int = 256 << 10,
        bodyLimit: Int? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.connectionsPerHost = connectionsPerHost
        self.connectionLimit = connectionLimit
        self.keepAlive = keepAlive
        self.httpVersion = httpVersion
        self.tls = tls
        self.proxy = proxy
        self.unixSocket = unixSocket
        self.addresses = addresses
        self.localInterface = localInterface
        self.decompression = decompression
        self.headerLimit = headerLimit
        self.bodyLimit = bodyLimit
    }
}

extension EngineConfiguration {
    /// The versions of HTTP that an engine speaks.
    public enum HTTPVersion: Sendable, Hashable {
        /// HTTP/2 where the server offers it in the TLS handshake, else HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 from the first byte, also without TLS ("prior knowledge", RFC 9113 section 3.3), and nothing else.
        case http2
    }

    /// What becomes of compressed responses (RFC 9110 section 8.4).
    ///
    /// Where it is on and the request names no `Accept-Encoding` and no `Range` of its own, `gzip` and `deflate` are
    /// offered. A body that comes so is decompressed as it arrives; one that is cut short, corrupt, or in an encoding
    /// that was not offered is an error of kind `invalidResponse`. Header fields stay as they were sent.
    public struct Decompression: Sendable, Hashable {
        /// Whether it is on.
        public var isOn: Bool
        /// The most that a body may grow, once more than a mebibyte has come out of it: more is taken for an attack and
        /// is an error of kind `bodyTooLarge`. 1100, just above the 1032 to which deflate itself is bound, so that
        /// only ``EngineConfiguration/bodyLimit`` and the limits of memory stop a bomb unless a smaller one is given.
        public var ratioLimit: Int

        /// On, unless `isOn` is false.
        public init(isOn: Bool = true, ratioLimit: Int = 1100) {
            self.isOn = isOn
            self.ratioLimit = ratioLimit
        }

        /// Nothing is offered, and bodies stay as they are.
        public static let off = Decompression(isOn: false)
    }
}
