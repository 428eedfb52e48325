extension EngineConfiguration {
    /// The proxy that connections go through.
    ///
    /// The user and password are sent exactly as given, without decoding. Hosts in `except` bypass the proxy:
    /// `example.com` with its subdomains, `*.example.com` for only the subdomains, an address, a network such as
    /// `10.0.0.0/8`, and `*` for all hosts. All except networks may have a port: `example.com:8080`. Any other text
    /// fails each request with ``HTTPError`` of kind `configuration`.
    public enum Proxy: Sendable, Equatable {
        /// The system's proxy. On Linux, it comes from the environment's `http_proxy`, `https_proxy`, `all_proxy` and
        /// `no_proxy` (with entries as in `except`). Connections to this machine never use it.
        case system
        /// No proxy.
        case direct
        /// A proxy over plain HTTP. https requests are tunneled through it with CONNECT.
        case http(String, port: Int, user: String? = nil, password: String? = nil, except: [String] = [])
        /// A proxy over TLS.
        case https(String, port: Int, user: String? = nil, password: String? = nil, except: [String] = [])
        /// A SOCKS 5 proxy (RFC 1928), which resolves host names itself.
        case socks5(String, port: Int, user: String? = nil, password: String? = nil, except: [String] = [])

        package struct Server: Sendable {
            package enum Scheme: String, Sendable { case http, https, socks5 }

            package let scheme: Scheme
            package let host: String
            package let port: Int
            package let user: String?
            package let password: String?
            package let exceptions: [String]
        }

        /// The proxy that is named here. `nil` for none, and for the system's.
        package var server: Server? {
            let scheme: Server.Scheme =
                switch self {
                case .https: .https
                case .socks5: .socks5
                default: .http
                }
            switch self {
            case .system, .direct: return nil
            case .http(let host, let port, let user, let password, let exceptions),
                .https(let host, let port, let user, let password, let exceptions),
                .socks5(let host, let port, let user, let password, let exceptions):
                return Server(
                    scheme: scheme, host: host, port: port, user: user, password: password, exceptions: exceptions)
            }
        }
    }
}

extension EngineConfiguration.Proxy: SafelyDescribed {
    /// The proxy without its credentials.
    public var description: String {
        guard let server else { return self == .system ? "the system's proxy" : "no proxy" }
        return "\(server.scheme.rawValue)://\(server.host):\(server.port)"
    }
}
