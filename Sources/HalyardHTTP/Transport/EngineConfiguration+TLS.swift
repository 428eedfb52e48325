public import HalyardFoundation

extension EngineConfiguration {
    /// The TLS settings: trusted roots, pins, client certificate and minimum version.
    ///
    /// ```swift
    /// var tls = EngineConfiguration.TLS(roots: .pem(certificates))
    /// tls.pins["api.example.com"] = ["r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    /// ```
    public struct TLS: Sendable, Equatable {
        /// The roots that the certificates of servers and of a proxy must lead to. Defaults to the system's roots.
        public var roots: Roots
        /// The pinned public keys by host. A pinned server must present one of its host's keys, and its certificate is
        /// verified as well. Other hosts are not pinned.
        ///
        /// A pin is the SHA-256 hash of a key (SubjectPublicKeyInfo in DER, RFC 7469) in base64, optionally with the
        /// prefix `sha256/` or `sha256//`. This command prints the hash of a certificate's key:
        ///
        /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`
        ///
        /// Case and a trailing dot in a name are ignored. Every request fails with ``HTTPError`` of kind
        /// `configuration` if a key is not a host name (such as one with a port), a host has no pins, or a pin is not
        /// 32 bytes in base64. A request to a pinned host over plain http fails with kind `tls` and is not sent.
        public var pins: [String: Set<String>]
        /// The client certificate for servers that request one. Defaults to none.
        public var clientCertificate: ClientCertificate?
        /// The minimum version of TLS. Defaults to 1.2.
        public var minimumVersion: TLSVersion

        /// Creates TLS settings.
        ///
        /// - Parameters:
        ///   - roots: The trusted roots. Defaults to the system's.
        ///   - pins: The pinned public keys by host. Defaults to none.
        ///   - clientCertificate: The certificate for servers that request one. Defaults to none.
        ///   - minimumVersion: The minimum version of TLS. Defaults to 1.2.
        public init(
            roots: Roots = .system, pins: [String: Set<String>] = [:],
            clientCertificate: ClientCertificate? = nil, minimumVersion: TLSVersion = .tls12
        ) {
            self.roots = roots
            self.pins = pins
            self.clientCertificate = clientCertificate
            self.minimumVersion = minimumVersion
        }

        /// Returns the pins of an origin's host; `nil` when it has none.
        package func pins(for origin: Origin) -> Set<String>? {
            pins.isEmpty ? nil : pins(forHost: origin.host)
        }

        /// Returns the pins of a host in any spelling, without prefixes; `nil` when it has none.
        package func pins(forHost host: String) -> Set<String>? {
            let isAddress = host.contains(":") && !host.hasPrefix("[")
            let host = PinnedHost.canonical((isAddress ? "[\(host)]" : host).lowercased())
            let found = pins.filter { PinnedHost.host($0.key) == host }.values.joined().compactMap(PinnedHost.hash)
            return found.isEmpty ? nil : Set(found)
        }

        /// Checks that the pins can be verified for an origin. Throws ``HTTPError`` of kind `configuration` for pins
        /// that can never match, `tls` for a pinned host over plain http.
        package func checkPins(for origin: Origin) throws(HTTPError) {
            if pins.isEmpty { return }
            for (host, pins) in pins.sorted(by: { $0.key < $1.key }) {
                let problem =
                    PinnedHost.host(host) == nil
                    ? "\(host.quoted) is not the name of a host"
                    : pins.isEmpty
                        ? "\(host.quoted) has no pins"
                        : pins.first { PinnedHost.hash($0) == nil }.map { "\($0.quoted) is not 32 bytes in base64" }
                guard let problem else { continue }
                throw HTTPError(
                    .configuration("tls.pins"), reason: problem,
                    suggestion:
                        "Write each host without a scheme or port, such as api.example.com, with at least one pin")
            }
            guard origin.scheme == "http", pins(for: origin) != nil else { return }
            throw HTTPError(
                .tls(.wrongPin), reason: "\(origin) is pinned, but http has no key to verify",
                suggestion: "Use https")
        }
    }

    /// The roots that certificates must lead to. More sources may be added.
    public enum Roots: Sendable, Equatable {
        /// The roots that the system trusts.
        case system
        /// Only the certificates in a PEM file (RFC 7468), which is read when a connection is made. If it cannot be
        /// read, each request fails with ``HTTPError`` of kind `unreadableFile`.
        case file(URL)
        /// Only these certificates, as PEM text (RFC 7468).
        case pem(String)
    }

    /// A version of TLS. More may be added.
    public enum TLSVersion: Sendable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A client certificate with its private key, in files.
    public struct ClientCertificate: Sendable, Equatable {
        /// The PEM file with the certificate and its intermediate certificates.
        public var certificate: URL
        /// The PEM file with the private key.
        public var key: URL
        /// The password of the private key; `nil` if it is not encrypted.
        public var password: String?

        /// Creates a client certificate from files, which are read when a connection is made.
        ///
        /// - Parameter key: The PEM file with the private key.
        public init(certificate: URL, key: URL, password: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }
}

extension EngineConfiguration.ClientCertificate: SafelyDescribed {
    /// The paths of the files. The password is omitted.
    public var description: String {
        "\(certificate.path(percentEncoded: false)) with \(key.path(percentEncoded: false))"
    }
}

extension EngineConfiguration.Roots: SafelyDescribed {
    /// The source of the roots. Their text is omitted because it may include a private key.
    public var description: String {
        switch self {
        case .system: "the system's roots"
        case .file(let url): url.path(percentEncoded: false)
        case .pem(let text): "\(text.utf8.count) bytes of PEM"
        }
    }
}

/// The canonical spelling of hosts with pins, so that every spelling of a host has its pins.
private enum PinnedHost {
    /// Returns the host that a key names; `nil` when it is not exactly a host.
    static func host(_ key: String) -> String? {
        let isAddress = key.contains(":") && !key.hasPrefix("[")
        let text = isAddress ? "[\(key)]" : key
        guard let origin = try? Origin(ofURL: "https://\(text)"), origin.host == text.lowercased() else { return nil }
        let host = canonical(origin.host)
        return host.isEmpty || host.hasSuffix(".") ? nil : host
    }

    /// Returns the canonical spelling of an ``Origin``'s host: a name without the dot at its end, an IPv6 address with
    /// all groups and without leading zeros.
    static func canonical(_ host: String) -> String {
        guard host.hasPrefix("["), let bytes = ipAddress(String(host.dropFirst().dropLast())) else {
            return host.hasSuffix(".") ? String(host.dropLast()) : host
        }
        let groups = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        return "[\(groups.map { String($0, radix: 16) }.joined(separator: ":"))]"
    }

    /// Returns the hash of a pin. `nil` if it is not 32 bytes in base64.
    static func hash(_ pin: String) -> String? {
        var hash = Substring(pin)
        if hash.hasPrefix("sha256/") { hash = hash.dropFirst(7) }
        if hash.hasPrefix("/") && hash.count == 45 { hash = hash.dropFirst() }
        return Data(base64Encoded: String(hash))?.count == 32 ? String(hash) : nil
    }
}
