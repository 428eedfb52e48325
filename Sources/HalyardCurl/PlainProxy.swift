import HalyardHTTP
import HalyardSystem

/// A proxy that is asked in HTTP itself, not through a tunnel, for what is on http: its connections serve all origins,
/// and libcurl counts them as one host's.
struct PlainProxy {
    /// Names of hosts that are not asked for there, nor what is below them; `*` for all. Networks, which libcurl knows
    /// since 7.86, are taken for names: who goes directly is then counted with those who do not.
    private let exceptions: [String]
    private let isSystem: Bool

    /// - Parameter environment: where the system's proxy stands; the process's own unless given.
    init?(_ proxy: EngineConfiguration.Proxy, environment: (String) -> String? = Self.variable) {
        switch proxy.way {
        case .direct: return nil
        case .server(let server):
            if server.scheme == .socks5 { return nil }
            isSystem = false
            exceptions = server.exceptions.map { Self.name($0[...]) }
        case .system:
            // As curl reads it: HTTP_PROXY is what a CGI script has of a request's field, and no setting.
            func first(of names: String...) -> String? { names.lazy.compactMap(environment).first { !$0.isEmpty } }
            guard let address = first(of: "http_proxy", "all_proxy", "ALL_PROXY"),
                !address.lowercased().hasPrefix("socks")
            else { return nil }
            isSystem = true
            let names = first(of: "no_proxy", "NO_PROXY") ?? ""
            exceptions = names.split { ", \t".contains($0) }.map(Self.name)
        }
    }

    /// Whether it is asked for what is at an origin.
    func serves(_ origin: Origin) -> Bool {
        guard origin.scheme == "http", !(isSystem && origin.isLoopback) else { return false }
        return !exceptions.contains { $0 == "*" || origin.host == $0 || origin.host.hasSuffix(".\($0)") }
    }

    private static func name(_ text: Substring) -> String {
        (text.hasPrefix(".") ? text.dropFirst() : text).lowercased()
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
