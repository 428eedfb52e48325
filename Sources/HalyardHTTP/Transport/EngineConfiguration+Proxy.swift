extension EngineConfiguration {
    /// The way out of this machine.
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

        /// What the system says: on Linux the environment's `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
        /// Never for hosts on this machine.
        public static let system = Proxy(way: .system)

        /// None.
        public static let direct = Proxy(way: .direct)

        /// A proxy that is spoken to in plain HTTP; what goes to https is tunnelled through it with CONNECT.
        ///
        /// - Parameter exceptions: hosts to which connections go directly; `example.com` stands for what is below it as
        ///   well, `*` for all.
        public static func http(
            _ host: String, port: Int, user: String? = nil, password: String? = nil, except exceptions: [String] = []
        ) -> Proxy {
            Proxy(.http, host, port, user, password, exceptions)
        }

        /// A proxy that is spoken to over TLS. See ``http(_:port:user:password:except:)``.
        public static func https(
            _ host: String, port: Int, user: String? = nil, password: String? = nil, except exceptions: [String] = []
        ) -> Proxy {
            Proxy(.https, host, port, user, password, exceptions)
        }

        /// A SOCKS 5 proxy (RFC 1928), which looks names up itself. See ``http(_:port:user:password:except:)``.
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

extension EngineConfiguration.Proxy: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
