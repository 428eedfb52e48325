import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An engine's configuration in URLSession's terms: what can be set, and what cannot.
struct SessionSettings {
    private let engine: EngineConfiguration

    init(_ engine: EngineConfiguration) { self.engine = engine }

    /// The first property that asks for what URLSession cannot do.
    var flaw: HTTPError? {
        guard let property = unsupported else { return nil }
        return HTTPError(
            .configuration(property), reason: "URLSession cannot do what it asks for on this system",
            suggestion: "Leave it at its default, or use another engine")
    }

    private var unsupported: String? {
        let usual = EngineConfiguration()
        if engine.connectTimeout != usual.connectTimeout { return "connectTimeout" }
        if engine.connectionsPerHost < 1 { return "connectionsPerHost" }
        if engine.connectionLimit != nil { return "connectionLimit" }
        if engine.keepAlive != usual.keepAlive { return "keepAlive" }
        if engine.httpVersion != .automatic { return "httpVersion" }
        if engine.unixSocket != nil { return "unixSocket" }
        if !engine.addresses.isEmpty { return "addresses" }
        if engine.localInterface != nil { return "localInterface" }
        if engine.decompression != usual.decompression { return "decompression" }
        if engine.tls.clientCertificate != nil { return "tls.clientCertificate" }
        return unsupportedHere
    }

    #if canImport(Darwin)
        private var unsupportedHere: String? {
            switch engine.proxy.way {
            case .system, .direct: break
            case .server(let server):
                // What URLSession does with the rest is not documented for every system.
                let isPlain = server.scheme == .http && server.user == nil && server.exceptions.isEmpty
                if !isPlain { return "proxy" }
            }
            return (try? ServerTrust(engine.tls)) == nil ? "tls.roots" : nil
        }
    #else
        private var unsupportedHere: String? {
            if engine.tls.roots != .system { return "tls.roots" }
            if !engine.tls.pins.isEmpty { return "tls.pins" }
            // The default is what the system's OpenSSL holds to by itself.
            if engine.tls.minimumVersion != .tls12 { return "tls.minimumVersion" }
            if engine.proxy != .system { return "proxy" }
            return nil
        }
    #endif

    /// A user's session configuration with what the engine decides.
    func applied(to session: URLSessionConfiguration) -> URLSessionConfiguration {
        let session = (session.copy() as? URLSessionConfiguration) ?? session
        session.urlCache = nil
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.httpCookieStorage = nil
        session.httpCookieAcceptPolicy = .never
        session.httpShouldSetCookies = false
        session.urlCredentialStorage = nil
        session.httpAdditionalHeaders = nil  // on Linux a line break in one of them would get on the wire
        session.httpMaximumConnectionsPerHost = max(1, engine.connectionsPerHost)
        // The engine has a clock of its own. On Linux URLSession's is cut to whole seconds, and an infinite one ends
        // the process.
        session.timeoutIntervalForRequest = Self.aYear
        session.timeoutIntervalForResource = Self.aYear
        #if canImport(Darwin)
            session.tlsMinimumSupportedProtocolVersion = engine.tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
            setProxy(of: session)
        #endif
        return session
    }

    /// In seconds: as good as never.
    static let aYear: TimeInterval = 31_536_000

    #if canImport(Darwin)
        private func setProxy(of session: URLSessionConfiguration) {
            switch engine.proxy.way {
            case .system: break
            case .direct: session.connectionProxyDictionary = [:]
            case .server(let server):
                // The names behind the kCFNetworkProxies constants, which iOS has only in part.
                session.connectionProxyDictionary = [
                    "HTTPEnable": 1, "HTTPProxy": server.host, "HTTPPort": server.port,
                    "HTTPSEnable": 1, "HTTPSProxy": server.host, "HTTPSPort": server.port,
                ]
            }
        }
    #endif
}
