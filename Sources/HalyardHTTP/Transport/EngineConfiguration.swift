/// The configuration of an engine: connections, TLS, proxy and limits. It is the same for all engines.
///
/// ```swift
/// let engine = EngineConfiguration(connectionsPerHost: 8, proxy: .http("proxy.example.com", port: 3128))
/// let transport = CurlTransport(configuration: engine)
/// ```
///
/// If an engine does not support a value, its requests fail with ``HTTPError`` of kind `configuration`, which names the
/// property, before anything is sent.
public struct EngineConfiguration: Sendable, Equatable {
    /// The timeout for resolving the name, connecting and the TLS handshake. Defaults to 15 seconds; `nil` disables it.
    /// ``TransferContext/connectTimeout`` overrides it for one transfer.
    public var connectTimeout: Duration? = .seconds(15)
    /// The timeout for periods without any data in either direction. Defaults to 60 seconds; `nil` disables it.
    /// ``TransferContext/idleTimeout`` overrides it for one transfer.
    public var idleTimeout: Duration? = .seconds(60)

    /// The maximum number of connections to one scheme, host and port, at least 1. Defaults to 64. Further transfers
    /// queue, and the wait counts against their timeout. Over libcurl, a proxy counts as one host for all plain http.
    public var connectionsPerHost = 64
    /// The maximum total number of connections, at least 1. `nil`, the default, allows a fifth of the descriptors that
    /// remain after 16 are subtracted from the process's limit (`ulimit -n`).
    public var connectionLimit: Int?
    /// How long an idle connection is kept for reuse, in whole seconds. Defaults to 118 seconds, less than the two
    /// minutes after which many servers close theirs. Over libcurl, a shorter `Keep-Alive: timeout` of a server counts.
    public var keepAlive: Duration = .seconds(118)
    /// The HTTP versions to use. Defaults to ``HTTPVersion/automatic``.
    public var httpVersion = HTTPVersion.automatic
    /// The store of the origins that have offered HTTP/3. Defaults to `nil`: each engine remembers them by itself. Only
    /// ``HTTPVersion/automatic`` needs one. URLSession ignores it.
    public var alternativeServices: AlternativeServiceStore?

    /// The roots, pins, client certificate and minimum version. Defaults to the system's roots and TLS 1.2.
    public var tls = TLS()
    /// The proxy. Defaults to the system's.
    public var proxy = Proxy.system
    /// The path of a Unix domain socket for all connections; `nil`, the default, for none. The request's host is still
    /// used for `Host` and to verify certificates.
    public var unixSocket: String?
    /// The addresses to use instead of a name lookup, by host and port: `["api.example.com:443": ["127.0.0.1"]]`.
    /// Defaults to none.
    public var addresses: [String: [String]] = [:]
    /// The local interface, address or host name that connections use. Defaults to the system's choice.
    public var localInterface: String?

    /// Whether to request compressed responses and decompress them (RFC 9110 section 8.4). Defaults to `true`.
    ///
    /// If the request has neither `Accept-Encoding` nor `Range`, the engine offers `gzip` and `deflate` and
    /// decompresses such bodies as they arrive. Over libcurl, it also offers `br` (RFC 7932) and `zstd` (RFC 8878) if
    /// the machine has the libraries libbrotlidec and libzstd and the program does not link libcurl. URLSession chooses
    /// its codings itself. An incomplete or corrupt body is an error of kind `invalidResponse`; a coding that was not
    /// offered is `unsupportedCoding`. The headers are not changed.
    public var decompresses = true
    /// The maximum ratio of decompressed to compressed size, for bodies of more than 1 MiB. A larger ratio is an error
    /// of kind `bodyTooLarge`. Defaults to 1100, just above the 1032 that deflate can reach. Therefore ``bodyLimit``
    /// and the memory limits stop bombs in gzip and deflate. Bombs in brotli and zstd can be a hundred times denser;
    /// this ratio stops them.
    public var decompressionRatioLimit = 1100
    /// The maximum size of a response's headers in bytes, including interim responses and trailers. Defaults to 256
    /// KiB.
    public var headerLimit = 256 << 10
    /// The maximum size of a response's body in bytes after decompression, for every destination. Defaults to `nil`:
    /// only a body in memory is limited, by its memory limit.
    public var bodyLimit: Int?

    /// Creates a configuration. Each parameter sets the property with its name and has the default documented there.
    public init(
        connectTimeout: Duration? = .seconds(15),
        idleTimeout: Duration? = .seconds(60),
        connectionsPerHost: Int = 64,
        connectionLimit: Int? = nil,
        keepAlive: Duration = .seconds(118),
        httpVersion: HTTPVersion = .automatic,
        alternativeServices: AlternativeServiceStore? = nil,
        tls: TLS = TLS(),
        proxy: Proxy = .system,
        unixSocket: String? = nil,
        addresses: [String: [String]] = [:],
        localInterface: String? = nil,
        decompresses: Bool = true,
        decompressionRatioLimit: Int = 1100,
        headerLimit: Int = 256 << 10,
        bodyLimit: Int? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.connectionsPerHost = connectionsPerHost
        self.connectionLimit = connectionLimit
        self.keepAlive = keepAlive
        self.httpVersion = httpVersion
        self.alternativeServices = alternativeServices
        self.tls = tls
        self.proxy = proxy
        self.unixSocket = unixSocket
        self.addresses = addresses
        self.localInterface = localInterface
        self.decompresses = decompresses
        self.decompressionRatioLimit = decompressionRatioLimit
        self.headerLimit = headerLimit
        self.bodyLimit = bodyLimit
    }
}

extension EngineConfiguration {
    /// The HTTP versions that an engine uses. More may be added.
    public enum HTTPVersion: Sendable {
        /// HTTP/2 if the server offers it in the TLS handshake, else HTTP/1.1. HTTP/3 once an https response has
        /// announced it with `Alt-Svc` (RFC 7838) for the same host and port, if the engine has HTTP/3.
        case automatic
        /// Only HTTP/1.1.
        case http1
        /// Only HTTP/2, from the first byte, even without TLS ("prior knowledge", RFC 9113 section 3.3).
        case http2
        /// HTTP/3 (RFC 9114) from the first request over https. If no QUIC connection is made, for example because the
        /// network blocks UDP, the same request uses HTTP/2 or HTTP/1.1. Over libcurl, the next requests to that origin
        /// then do so for five minutes. Requests through a proxy or a Unix socket, and over plain http, never use it.
        case http3
    }
}
