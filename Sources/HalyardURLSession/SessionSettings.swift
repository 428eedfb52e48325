import HalyardFoundationNetworking
import HalyardHTTP

/// An engine's configuration as a `URLSessionConfiguration`.
struct SessionSettings {
    private let engine: EngineConfiguration

    init(_ engine: EngineConfiguration) { self.engine = engine }

    /// An error of kind `configuration` that names the first unsupported property, or the error of the roots; `nil` if
    /// all are supported.
    var configurationError: HTTPError? {
        guard let property = unsupported else {
            #if canImport(Darwin)
                do throws(HTTPError) { _ = try ServerTrust(engine.tls) } catch { return error }
            #endif
            return nil
        }
        return HTTPError(
            .configuration(property), reason: "URLSession does not support it on this system",
            suggestion: "Leave it at its default, or use another engine")
    }

    /// The names of the settings that URLSession has no equivalent for, and that only tune an engine.
    var ignored: [String] {
        let names = [
            engine.connectionLimit == nil ? nil : "connectionLimit",
            engine.keepAlive == EngineConfiguration().keepAlive ? nil : "keepAlive",
            engine.alternativeServices == nil ? nil : "alternativeServices",
        ]
        return names.compactMap(\.self)
    }

    private var unsupported: String? {
        let defaults = EngineConfiguration()
        if engine.connectTimeout != defaults.connectTimeout { return "connectTimeout" }
        if engine.connectionsPerHost < 1 { return "connectionsPerHost" }
        if let limit = engine.connectionLimit, limit < 1 { return "connectionLimit" }
        if !Self.versions.contains(engine.httpVersion) { return "httpVersion" }
        if engine.unixSocket != nil { return "unixSocket" }
        if !engine.addresses.isEmpty { return "addresses" }
        if engine.localInterface != nil { return "localInterface" }
        if !engine.decompresses { return "decompresses" }
        if engine.decompressionRatioLimit != defaults.decompressionRatioLimit { return "decompressionRatioLimit" }
        if engine.tls.clientCertificate != nil { return "tls.clientCertificate" }
        return unsupportedOnThisSystem
    }

    #if canImport(Darwin)
        /// The versions of HTTP that a request can ask for.
        private static let versions = [EngineConfiguration.HTTPVersion.automatic, .http3]

        private var unsupportedOnThisSystem: String? {
            guard let server = engine.proxy.server else { return nil }
            // URLSession's behavior with other proxies is not documented for every system.
            let isPlain =
                server.scheme == .http && server.user == nil && server.password == nil && server.exceptions.isEmpty
            return isPlain ? nil : "proxy"
        }
    #else
        private static let versions = [EngineConfiguration.HTTPVersion.automatic]

        private var unsupportedOnThisSystem: String? {
            if engine.tls.roots != .system { return "tls.roots" }
            if !engine.tls.pins.isEmpty { return "tls.pins" }
            // OpenSSL's own default is TLS 1.2, so that setting needs no support.
            if engine.tls.minimumVersion != .tls12 { return "tls.minimumVersion" }
            if engine.proxy != .system { return "proxy" }
            return nil
        }
    #endif

    /// Returns a copy of the user's session configuration with the engine's settings.
    func applied(to session: URLSessionConfiguration) -> URLSessionConfiguration {
        let session = (session.copy() as? URLSessionConfiguration) ?? session
        session.urlCache = nil
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.httpCookieStorage = nil
        session.httpCookieAcceptPolicy = .never
        session.httpShouldSetCookies = false
        session.urlCredentialStorage = nil
        session.httpAdditionalHeaders = nil  // On Linux a line break in a value is sent as it is.
        session.httpMaximumConnectionsPerHost = max(1, engine.connectionsPerHost)
        // The engine enforces its own time limits. On Linux URLSession's are cut to whole seconds, and an infinite
        // limit ends the process.
        session.timeoutIntervalForRequest = Self.oneYear
        session.timeoutIntervalForResource = Self.oneYear
        #if canImport(Darwin)
            session.tlsMinimumSupportedProtocolVersion = engine.tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
            setProxy(of: session)
        #endif
        return session
    }

    /// A time limit in seconds that is never reached.
    static let oneYear: TimeInterval = 31_536_000

    #if canImport(Darwin)
        private func setProxy(of session: URLSessionConfiguration) {
            if engine.proxy == .direct { session.connectionProxyDictionary = [:] }
            guard let server = engine.proxy.server else { return }
            // These are the values of the kCFNetworkProxies constants, some of which iOS does not declare.
            session.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": server.host, "HTTPPort": server.port,
                "HTTPSEnable": 1, "HTTPSProxy": server.host, "HTTPSPort": server.port,
            ]
        }
    #endif
}
