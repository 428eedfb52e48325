import HalyardHTTP

/// A proxy that receives requests for `http` URLs as plain HTTP requests, without a CONNECT tunnel.
///
/// Its connections carry requests for all such origins, and libcurl counts them as the connections of one host.
struct ForwardProxy {
    private let exceptions: ProxyExceptions
    private let isSystem: Bool

    /// Makes a description of the configured proxy. `system` is the system's proxy. Defaults to that of the process's
    /// environment. `nil` if there is no proxy, none of this kind, or one with invalid exceptions, which no engine
    /// uses.
    init?(_ proxy: EngineConfiguration.Proxy, system: SystemProxy = SystemProxy()) {
        switch proxy.way {
        case .direct: return nil
        case .server(let server):
            if server.scheme == .socks5 { return nil }
            isSystem = false
            guard let exceptions = try? ProxyExceptions(server.exceptions) else { return nil }
            self.exceptions = exceptions
        case .system:
            guard let address = system.address(forScheme: "http"), !address.lowercased().hasPrefix("socks") else {
                return nil
            }
            guard let exceptions = try? system.exceptions else { return nil }
            isSystem = true
            self.exceptions = exceptions
        }
    }

    /// Returns whether requests for an origin are sent to the proxy.
    func handles(_ origin: Origin) -> Bool {
        guard origin.scheme == "http", !(isSystem && origin.isLoopback) else { return false }
        return !exceptions.contains(origin)
    }
}
