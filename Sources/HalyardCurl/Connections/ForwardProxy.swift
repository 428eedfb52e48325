import HalyardHTTP

/// A proxy that receives requests for `http` URLs as plain HTTP requests, without a CONNECT tunnel.
///
/// Its connections carry requests for all such origins, and libcurl counts them as the connections of one host.
struct ForwardProxy {
    /// The host names that bypass the proxy, together with their subdomains; `*` for all hosts.
    ///
    /// libcurl also accepts networks here since 7.86. They are treated as names: a request that bypasses the proxy
    /// because of a network is then counted together with those that do not.
    private let exceptions: [String]
    private let isSystem: Bool

    /// Makes a description of the configured proxy.
    ///
    /// - Parameters:
    ///   - proxy: The engine's proxy setting.
    ///   - system: The system's proxy. Defaults to that of the process's environment.
    /// - Returns: `nil` if there is no proxy, or none of this kind.
    init?(_ proxy: EngineConfiguration.Proxy, system: SystemProxy = SystemProxy()) {
        switch proxy.way {
        case .direct: return nil
        case .server(let server):
            if server.scheme == .socks5 { return nil }
            isSystem = false
            exceptions = server.exceptions.map { Self.name($0[...]) }
        case .system:
            guard let address = system.address(forScheme: "http"), !address.lowercased().hasPrefix("socks") else {
                return nil
            }
            isSystem = true
            exceptions = system.exceptions.map(Self.name)
        }
    }

    /// Returns whether requests for an origin are sent to the proxy.
    func handles(_ origin: Origin) -> Bool {
        guard origin.scheme == "http", !(isSystem && origin.isLoopback) else { return false }
        return !exceptions.contains { $0 == "*" || origin.host == $0 || origin.host.hasSuffix(".\($0)") }
    }

    private static func name(_ text: Substring) -> String {
        (text.hasPrefix(".") ? text.dropFirst() : text).lowercased()
    }
}
