extension EngineConfiguration {
    /// The proxy that connections go through.
    public struct Proxy: Sendable, Hashable {
        package enum Way: Sendable, Hashable {
            case system
            case direct
            case server(Server)
        }

        package struct Server: Sendable, Hashable {
            package enum Scheme: String, Sendable { case http, https, socks5 }

            package let scheme: Scheme
            package let host: String
            package let port: Int
            package let user: String?
            package let password: String?
            package let exceptions: [String]
        }

        package let way: Way

        /// The system's proxy. On Linux the environment's `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, whose
        /// entries are those of `except:` in ``http(_:port:user:password:except:)``.
        /// Hosts on this machine are always connected directly.
        public static let system = Proxy(way: .system)

        /// No proxy.
        public static let direct = Proxy(way: .direct)

        /// A proxy over plain HTTP. Requests to https are tunnelled through it with CONNECT.
        ///
        /// - Parameters:
        ///   - password: The password. Defaults to none. Both are sent as they are given: nothing is decoded.
        ///   - exceptions: Hosts that are connected directly: `example.com` with its subdomains, `*.example.com` for its
        ///     subdomains alone, an address, a network such as `10.0.0.0/8`, and `*` for all hosts. All but networks may
        ///     have a port, as `example.com:8080`. Another text fails each request with ``HTTPError`` of kind
        ///     `configuration`.
        public static func http(
            _ host: String, port: Int, user: String? = nil, password: String? = nil, except exceptions: [String] = []
        ) -> Proxy {
            Proxy(.http, host, port, user, password, exceptions)
        }

        /// A proxy over TLS. See ``http(_:port:user:password:except:)``.
        ///
        /// - Parameter exceptions: Hosts that are connected directly.
        public static func https(
            _ host: String, port: Int, user: String? = nil, password: String? = nil, except exceptions: [String] = []
        ) -> Proxy {
            Proxy(.https, host, port, user, password, exceptions)
        }

        /// A SOCKS 5 proxy (RFC 1928), which resolves host names itself. See ``http(_:port:user:password:except:)``.
        ///
        /// - Parameter exceptions: Hosts that are connected directly.
        public static func socks5(
            _ host: String, port: Int, user: String? = nil, password: String? = nil, except exceptions: [String] = []
        ) -> Proxy {
            Proxy(.socks5, host, port, user, password, exceptions)
        }

        private init(way: Way) { self.way = way }

        private init(
            _ scheme: Server.Scheme, _ host: String, _ port: Int, _ user: String?, _ password: String?,
            _ exceptions: [String]
        ) {
            way = .server(
                Server(
                    scheme: scheme, host: host, port: port, user: user, password: password, exceptions: exceptions))
        }
    }
}

extension EngineConfiguration.Proxy: CustomStringConvertible {
    /// The proxy without its credentials.
    public var description: String {
        switch way {
        case .system: "the system's proxy"
        case .direct: "no proxy"
        case .server(let server): "\(server.scheme.rawValue)://\(server.host):\(server.port)"
        }
    }
}

extension EngineConfiguration.Proxy: SafelyDescribed {}
