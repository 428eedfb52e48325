import CHalyardCurl
import HalyardHTTP
import HalyardFoundation

/// The C callbacks with which libcurl opens and closes sockets, and their context.
struct SocketCallbacks {
    let open: halyard_open_callback
    let close: halyard_close_callback
    /// The event loop. It outlives the handles.
    let context: UnsafeMutableRawPointer
}

/// An engine's configuration as libcurl options.
///
/// The options are checked once, when the engine is made, and set once on each easy handle. The event loop and its
/// transfers share one object.
final class EngineSettings {
    let configuration: EngineConfiguration
    /// Entries for libcurl's DNS cache. The list must live as long as the handles that refer to it.
    private var addresses: StringList
    /// The hosts that bypass the configured proxy. `nil` for no such proxy, or for invalid ones, which ``apply`` refuses.
    private let exceptions: ProxyExceptions?

    init(_ configuration: EngineConfiguration) {
        self.configuration = configuration
        addresses = StringList(
            configuration.addresses.sorted { $0.key < $1.key }.map { "\($0):\($1.joined(separator: ","))" })
        exceptions = configuration.proxy.server.flatMap { try? ProxyExceptions($0.exceptions) }
        mayUseHTTP3 =
            [.automatic, .http3].contains(configuration.httpVersion) && CurlLibrary.hasHTTP3
            && configuration.unixSocket == nil
    }

    /// Returns whether connections to an origin may use HTTP/2 or HTTP/3.
    ///
    /// If so, a transfer that starts while the first connection is being made waits to learn whether that connection
    /// carries several transfers. Without TLS, HTTP/2 is used only if the configuration allows no other version.
    func mayMultiplex(_ origin: Origin) -> Bool {
        switch configuration.httpVersion {
        case .automatic: origin.scheme == "https" && CurlLibrary.hasHTTP2
        case .http3: origin.scheme == "https"
        case .http1: false
        case .http2: true
        }
    }

    /// Whether requests may use HTTP/3: at once, or after a server has offered it.
    let mayUseHTTP3: Bool

    /// Returns whether a QUIC connection can lead to an origin. None goes through a proxy.
    func allowsHTTP3(to origin: Origin) -> Bool {
        mayUseHTTP3 && origin.scheme == "https" && (!mayTunnel(to: origin) || bypassesProxy(to: origin))
    }

    /// The version that libcurl uses where HTTP/2 is possible: one of the `HALYARD__HTTP_VERSION_*` values.
    var bestVersion: Int32 {
        switch configuration.httpVersion {
        case .automatic where CurlLibrary.hasHTTP2, .http3 where CurlLibrary.hasHTTP2: HALYARD__HTTP_VERSION_2TLS
        case .automatic, .http1, .http3: HALYARD__HTTP_VERSION_1_1
        case .http2: HALYARD__HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
    }

    /// Returns whether requests to an origin are not sent through the proxy.
    func bypassesProxy(to origin: Origin) -> Bool {
        configuration.proxy == .system ? SystemProxy().bypasses(origin) : exceptions?.contains(origin) ?? false
    }

    /// Returns whether a proxy may be asked for a tunnel to an origin.
    func mayTunnel(to origin: Origin) -> Bool {
        guard origin.scheme == "https" else { return false }
        return configuration.proxy == .system ? SystemProxy().mayServe(origin) : configuration.proxy != .direct
    }

    /// Returns whether requests to an origin use no TLS at all, neither to the origin nor to a proxy.
    func isCleartext(to origin: Origin) -> Bool {
        guard origin.scheme == "http" else { return false }
        guard configuration.proxy == .system else { return configuration.proxy.server?.scheme != .https }
        return !SystemProxy().mayServe(origin)
    }

    /// The maximum number of connections to all origins together: the configured limit, or a share of the descriptors
    /// that the process may open. Downloads to files have shares of their own.
    var connectionLimit: Int { max(1, configuration.connectionLimit ?? Descriptors.share) }

    /// Frees the list. No handle may use it any more.
    func free() { addresses.free() }

    /// Sets all options of the engine on a new or reset handle. `sockets` are the callbacks that open and close the
    /// handle's sockets. `nil` for a handle that is only used to check the settings, and is reset before its first
    /// transfer. Throws ``HTTPError`` of kind `configuration` for a setting that this libcurl does not support, and of
    /// kind `unreadableFile` for a certificate.
    func apply(to easy: EasyHandle, sockets: SocketCallbacks?) throws(HTTPError) {
        easy.installCallbacks()
        if let sockets {
            _ = halyard_easy_set_open_callback(easy.pointer, HALYARD_OPT_OPENSOCKETFUNCTION, sockets.open)
            easy.set(HALYARD_OPT_OPENSOCKETDATA, sockets.context)
            _ = halyard_easy_set_close_callback(easy.pointer, HALYARD_OPT_CLOSESOCKETFUNCTION, sockets.close)
            easy.set(HALYARD_OPT_CLOSESOCKETDATA, sockets.context)
        }
        easy.set(HALYARD_OPT_PATH_AS_IS, true)
        easy.set(HALYARD_OPT_PROTOCOLS, HALYARD_PROTO_HTTP | HALYARD_PROTO_HTTPS)
        easy.set(HALYARD_OPT_NOSIGNAL, true)
        // libcurl rejects it on a handle that still has the buffer of its last transfer.
        easy.setIfSupported(HALYARD_OPT_BUFFERSIZE, CurlLibrary.bufferSize)
        easy.set(HALYARD_OPT_SUPPRESS_CONNECT_HEADERS, true)
        easy.setIfSupported(HALYARD_OPT_QUICK_EXIT, 1)  // since 7.87
        try applyConnections(easy)
        try applyTLS(easy)
        try applyProxy(easy)
    }

    private func applyConnections(_ easy: EasyHandle) throws(HTTPError) {
        guard configuration.httpVersion != .http3 || CurlLibrary.hasHTTP3 else { throw CurlLibrary.missingHTTP3 }
        try check(easy, "httpVersion") { $0.set(HALYARD_OPT_HTTP_VERSION, bestVersion) }
        easy.set(HALYARD_OPT_HTTP_VERSION, HALYARD__HTTP_VERSION_1_1)  // `MessageOptions` raises it for a request.
        try check(easy, "keepAlive") {
            $0.set(HALYARD_OPT_MAXAGE_CONN, max(1, configuration.keepAlive.milliseconds / 1000))
        }
        // Without this option libcurl's own limit of five minutes applies.
        easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, configuration.connectTimeout?.milliseconds ?? Int(Int32.max))
        if let path = configuration.unixSocket {
            // The address of a socket has room for as many bytes, and libcurl would use the network without a path.
            guard (1...107).contains(path.utf8.count) else {
                throw HTTPError(
                    .configuration("unixSocket"),
                    reason: path.isEmpty ? "its path is empty" : "its path is too long: at most 107 bytes are allowed")
            }
            try check(easy, "unixSocket") { $0.set(HALYARD_OPT_UNIX_SOCKET_PATH, path) }
            easy.unixSocket = path
        }
        if let interface = configuration.localInterface {
            try check(easy, "localInterface") { $0.set(HALYARD_OPT_INTERFACE, interface) }
        }
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
        if case .file(let url) = tls.roots { _ = try FileSource(url) }
        try check(easy, "tls.roots") { easy in
            trust(easy, HALYARD_OPT_CAINFO, HALYARD_OPT_CAINFO_BLOB, HALYARD_OPT_CAPATH)
            guard configuration.proxy.server?.scheme == .https else { return }
            trust(easy, HALYARD_OPT_PROXY_CAINFO, HALYARD_OPT_PROXY_CAINFO_BLOB, HALYARD_OPT_PROXY_CAPATH)
        }
        guard let files = tls.clientCertificate else { return }
        for url in [files.certificate, files.key] { _ = try FileSource(url) }
        try check(easy, "tls.clientCertificate") { easy in
            easy.set(HALYARD_OPT_SSLCERT, files.certificate.path(percentEncoded: false))
            easy.set(HALYARD_OPT_SSLKEY, files.key.path(percentEncoded: false))
            if let password = files.password { easy.set(HALYARD_OPT_KEYPASSWD, password) }
        }
    }

    /// Sets the public keys that a server must have. If libcurl rejects the option, the handle is not used. Throws
    /// ``HTTPError`` of kind `configuration` if this libcurl cannot check public keys.
    func pin(_ easy: EasyHandle, to origin: Origin) throws(HTTPError) {
        guard let pins = configuration.tls.pins(for: origin) else { return }
        easy.needsReset = true
        try check(easy, "tls.pins") { easy in
            easy.set(HALYARD_OPT_PINNEDPUBLICKEY, pins.map { "sha256//\($0)" }.sorted().joined(separator: ";"))
        }
    }

    /// Sets the certificate authorities, for servers or for a proxy.
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
        // Otherwise libcurl would also trust the system's certificates.
        _ = halyard_easy_set_string(easy.pointer, folder, nil)
    }

    private func applyProxy(_ easy: EasyHandle) throws(HTTPError) {
        guard let server = configuration.proxy.server else {
            if configuration.proxy == .system { try SystemProxy().check() }
            easy.proxy = configuration.proxy == .system ? nil : ""
            return
        }
        _ = try ProxyExceptions(server.exceptions)
        let url = try server.url
        try check(easy, "proxy") { easy in
            easy.set(HALYARD_OPT_PROXYTYPE, server.scheme.number)  // An unsupported one is rejected here.
            easy.set(HALYARD_OPT_NOPROXY, "")
            easy.proxy = url
        }
    }

    /// Sets options and checks that libcurl has accepted them. Throws ``HTTPError`` of kind `configuration`, which
    /// names the property.
    private func check(_ easy: EasyHandle, _ property: String, _ set: (EasyHandle) -> Void) throws(HTTPError) {
        set(easy)
        guard let (_, result) = easy.rejectedOption else { return }
        throw HTTPError(
            .configuration(property),
            reason: "the installed libcurl rejects it (\(String(cString: halyard_easy_strerror(result))))")
    }
}

extension EngineConfiguration.Proxy.Server {
    /// The proxy as a URL with its credentials.
    ///
    /// libcurl decodes them in a URL, once and in every release. As options of their own, older releases such as 8.5 decode
    /// them as well, and a second time for another connection of the same request.
    fileprivate var url: String {
        get throws(HTTPError) {
            let address = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
            guard (try? Origin(ofURL: "http://" + address)) != nil else {
                throw HTTPError(.configuration("proxy"), reason: "its host or port is not valid")
            }
            let credentials = [user, password].map { $0 ?? "" }
            guard !credentials.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
                throw HTTPError(.configuration("proxy"), reason: "its user or password has a control character")
            }
            let encoded = credentials.map { $0.utf8.map { "%" + [$0].hexadecimal }.joined() }
            let scheme = scheme == .socks5 ? "socks5h" : scheme.rawValue
            let isAnonymous = user == nil && password == nil
            return "\(scheme)://\(isAnonymous ? "" : encoded.joined(separator: ":") + "@")\(address)"
        }
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
    /// The duration in whole milliseconds, at least 1. To libcurl 0 means no limit.
    var milliseconds: Int {
        guard self < .seconds(1 << 20) else { return Int(Int32.max) }
        return Int(max(1, nanoseconds / 1_000_000))
    }
}
