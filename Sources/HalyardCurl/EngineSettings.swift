import CHalyardCurl
import HalyardHTTP
import HalyardFoundation
import HalyardSystem

/// An engine's configuration in libcurl's options: checked once, and written into each handle once. It belongs to the
/// loop, whose transfers share it.
final class EngineSettings {
    let configuration: EngineConfiguration
    /// Lines for libcurl's own table of names. It lives as long as the handles that were given it.
    private let addresses: LineList
    /// What the headers of requests end with, by whether they say what they accept, and whether compression is offered.
    private let endings: [LineList]

    init(_ configuration: EngineConfiguration) {
        self.configuration = configuration
        addresses = LineList(
            configuration.addresses.sorted { $0.key < $1.key }.map { "\($0):\($1.joined(separator: ","))" })
        endings = [[], [Inflater.offer], ["Accept:"], ["Accept:", Inflater.offer]].map(LineList.init)
    }

    /// - Parameters:
    ///   - accepts: the request says what it accepts; libcurl would say something of its own.
    ///   - offersCompression: gzip and deflate are offered.
    func ending(accepts: Bool, offersCompression: Bool) -> LineList {
        endings[(accepts ? 0 : 2) + (offersCompression ? 1 : 0)]
    }

    /// Whether an origin may be spoken to in HTTP/2. Then a transfer that comes while the first connection is made waits to
    /// learn whether that carries many. Without TLS it is not offered unless it is all that is spoken.
    func mayBeHTTP2(_ origin: Origin) -> Bool {
        switch configuration.httpVersion {
        case .automatic: origin.scheme == "https"
        case .http1: false
        case .http2: true
        }
    }

    /// Whether a proxy may be asked for a tunnel to an origin.
    func mayTunnel(to origin: Origin) -> Bool {
        guard origin.scheme == "https" else { return false }
        return switch configuration.proxy.way {
        case .direct: false
        case .server: true
        case .system where origin.isLoopback: false
        case .system:
            ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { (name: String) in getenv(name) != nil }
        }
    }

    /// Whether there is no TLS on the way to an origin, to a proxy neither.
    func isPlain(to origin: Origin) -> Bool {
        guard origin.scheme == "http" else { return false }
        return switch configuration.proxy.way {
        case .direct: true
        case .server(let server): server.scheme != .https
        case .system where origin.isLoopback: true
        case .system: !["http_proxy", "all_proxy", "ALL_PROXY"].contains { (name: String) in getenv(name) != nil }
        }
    }

    /// Connections in all: what was asked for, or a quarter of what the process may open. Downloads take as much again.
    var connectionLimit: Int { max(1, configuration.connectionLimit ?? Descriptors.limit / 4) }

    func free() {
        for var list in [addresses] + endings { list.free() }
    }

    /// Writes the whole of it into a fresh handle.
    ///
    /// - Parameter loop: opens and closes the handle's sockets.
    /// - Throws: ``HTTPError`` of kind `configuration` for what this libcurl cannot do.
    func apply(to easy: EasyHandle, of loop: EventLoop?) throws(HTTPError) {
        easy.connect()
        if let loop {
            let loop = Unmanaged.passUnretained(loop).toOpaque()
            _ = halyard_easy_set_open_callback(easy.pointer, HALYARD_OPT_OPENSOCKETFUNCTION, openSocket)
            easy.set(HALYARD_OPT_OPENSOCKETDATA, loop)
            _ = halyard_easy_set_close_callback(easy.pointer, HALYARD_OPT_CLOSESOCKETFUNCTION, closeSocket)
            easy.set(HALYARD_OPT_CLOSESOCKETDATA, loop)
        }
        easy.set(HALYARD_OPT_PATH_AS_IS, true)
        easy.set(HALYARD_OPT_PROTOCOLS, HALYARD_PROTO_HTTP | HALYARD_PROTO_HTTPS)
        easy.set(HALYARD_OPT_NOSIGNAL, true)
        easy.propose(HALYARD_OPT_BUFFERSIZE, 32 << 10)  // refused where one is there from the transfer before
        easy.set(HALYARD_OPT_SUPPRESS_CONNECT_HEADERS, true)
        easy.propose(HALYARD_OPT_QUICK_EXIT, 1)  // since 7.87
        try applyConnections(easy)
        try applyTLS(easy)
        try applyProxy(easy)
    }

    private func applyConnections(_ easy: EasyHandle) throws(HTTPError) {
        try check(easy, "httpVersion") { easy in
            switch configuration.httpVersion {
            case .automatic where CurlLibrary.hasHTTP2: easy.set(HALYARD_OPT_HTTP_VERSION, HALYARD__HTTP_VERSION_2TLS)
            case .automatic, .http1: easy.set(HALYARD_OPT_HTTP_VERSION, HALYARD__HTTP_VERSION_1_1)
            case .http2: easy.set(HALYARD_OPT_HTTP_VERSION, HALYARD__HTTP_VERSION_2_PRIOR_KNOWLEDGE)
            }
        }
        try check(easy, "keepAlive") {
            $0.set(HALYARD_OPT_MAXAGE_CONN, max(1, configuration.keepAlive.milliseconds / 1000))
        }
        // Without one libcurl has a limit of its own, of five minutes.
        easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, configuration.connectTimeout?.milliseconds ?? Int(Int32.max))
        try check(easy, "unixSocket", configuration.unixSocket) { $0.set(HALYARD_OPT_UNIX_SOCKET_PATH, $1) }
        try check(easy, "localInterface", configuration.localInterface) { $0.set(HALYARD_OPT_INTERFACE, $1) }
        if addresses.pointer != nil {
            try check(easy, "addresses") { $0.set(HALYARD_OPT_RESOLVE, addresses.pointer) }
        }
    }

    private func applyTLS(_ easy: EasyHandle) throws(HTTPError) {
        let tls = configuration.tls
        try check(easy, "tls.minimumVersion") { easy in
            easy.set(
                HALYARD_OPT_SSLVERSION,
                tls.minimumVersion == .tls13 ? HALYARD__SSLVERSION_TLSv1_3 : HALYARD__SSLVERSION_TLSv1_2)
        }
        try check(easy, "tls.roots") { easy in
            trust(easy, HALYARD_OPT_CAINFO, HALYARD_OPT_CAINFO_BLOB, HALYARD_OPT_CAPATH)
            guard case .server(let server) = configuration.proxy.way, server.scheme == .https else { return }
            trust(easy, HALYARD_OPT_PROXY_CAINFO, HALYARD_OPT_PROXY_CAINFO_BLOB, HALYARD_OPT_PROXY_CAPATH)
        }
        try check(easy, "tls.clientCertificate", tls.clientCertificate) { easy, files in
            easy.set(HALYARD_OPT_SSLCERT, files.certificate.path(percentEncoded: false))
            easy.set(HALYARD_OPT_SSLKEY, files.key.path(percentEncoded: false))
            if let password = files.password { easy.set(HALYARD_OPT_KEYPASSWD, password) }
        }
    }

    /// Tells a handle the keys that a server must have. Nothing is sent before libcurl has taken them.
    ///
    /// - Throws: ``HTTPError`` of kind `configuration` where this libcurl cannot check them.
    func pin(_ easy: EasyHandle, to origin: Origin) throws(HTTPError) {
        guard let pins = configuration.tls.pins(for: origin) else { return }
        easy.isSpoilt = true
        try check(easy, "tls.pins") { easy in
            easy.set(HALYARD_OPT_PINNEDPUBLICKEY, pins.map { "sha256//\($0.sha256)" }.sorted().joined(separator: ";"))
        }
    }

    private func trust(
        _ easy: EasyHandle, _ file: halyard_option, _ blob: halyard_option, _ folder: halyard_option
    ) {
        switch configuration.tls.roots {
        case .system: return
        case .file(let url): easy.set(file, url.path(percentEncoded: false))
        case .pem(let text):
            easy.set(blob, blob: text)
            _ = halyard_easy_set_string(easy.pointer, file, nil)
        }
        // The folder of the system's certificates, which libcurl would ask as well.
        _ = halyard_easy_set_string(easy.pointer, folder, nil)
    }

    private func applyProxy(_ easy: EasyHandle) throws(HTTPError) {
        try check(easy, "proxy") { easy in
            switch configuration.proxy.way {
            case .system: break
            case .direct: easy.set(HALYARD_OPT_PROXY, "")
            case .server(let server):
                easy.set(HALYARD_OPT_PROXY, server.host.contains(":") ? "[\(server.host)]" : server.host)
                easy.set(HALYARD_OPT_PROXYPORT, server.port)
                easy.set(HALYARD_OPT_PROXYTYPE, server.scheme.number)
                easy.set(HALYARD_OPT_NOPROXY, server.exceptions.joined(separator: ","))
                if let user = server.user { easy.set(HALYARD_OPT_PROXYUSERNAME, user) }
                if let password = server.password { easy.set(HALYARD_OPT_PROXYPASSWORD, password) }
            }
        }
    }

    private func check(_ easy: EasyHandle, _ property: String, _ set: (EasyHandle) -> Void) throws(HTTPError) {
        set(easy)
        guard let (_, result) = easy.refusal else { return }
        throw HTTPError(
            .configuration(property),
            reason: "this machine's libcurl refuses it (\(String(cString: halyard_easy_strerror(result))))")
    }

    private func check<Value>(
        _ easy: EasyHandle, _ property: String, _ value: Value?, _ set: (EasyHandle, Value) -> Void
    ) throws(HTTPError) {
        guard let value else { return }
        try check(easy, property) { set($0, value) }
    }
}

extension EngineConfiguration.Proxy.Server.Scheme {
    fileprivate var number: Int32 {
        switch self {
        case .http: HALYARD_PROXY_HTTP
        case .https: HALYARD_PROXY_HTTPS
        case .socks5: HALYARD_PROXY_SOCKS5_HOSTNAME
        }
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero would mean "no limit" to libcurl.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 20 else { return Int(Int32.max) }
        guard seconds >= 0 else { return 1 }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
