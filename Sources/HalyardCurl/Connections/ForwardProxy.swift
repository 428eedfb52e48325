import HalyardHTTP
import HalyardSystem

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
    ///   - environment: Looks up environment variables for the system's proxy. Defaults to those of the process.
    /// - Returns: `nil` if there is no proxy, or none of this kind.
    init?(_ proxy: EngineConfiguration.Proxy, environment: (String) -> String? = Self.variable) {
        switch proxy.way {
        case .direct: return nil
        case .server(let server):
            if server.scheme == .socks5 { return nil }
            isSystem = false
            exceptions = server.exceptions.map { Self.name($0[...]) }
        case .system:
            // These are curl's rules. HTTP_PROXY in upper case is not read: in a CGI script a client sets it (httpoxy).
            func first(of names: String...) -> String? { names.lazy.compactMap(environment).first { !$0.isEmpty } }
            guard let address = first(of: "http_proxy", "all_proxy", "ALL_PROXY"),
                !address.lowercased().hasPrefix("socks")
            else { return nil }
            isSystem = true
            let names = first(of: "no_proxy", "NO_PROXY") ?? ""
            exceptions = names.split { ", \t".contains($0) }.map(Self.name)
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

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
