public import HalyardFoundation

extension EngineConfiguration {
    /// TLS settings: trusted roots, pins, client certificate, minimum version.
    ///
    /// ```swift
    /// var tls = EngineConfiguration.TLS(roots: .pem(certificates))
    /// tls.pins["api.example.com"] = [try PublicKeyPin(sha256: "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")]
    /// ```
    public struct TLS: Sendable, Hashable {
        /// The roots that certificates of servers and of a proxy must lead to. Defaults to the system's.
        public var roots: Roots
        /// Pinned public keys by host. A server must have one of its host's keys, and its certificate is verified as
        /// well. Other hosts are not pinned.
        ///
        /// Case, and a dot at the end of a name, are ignored. A key that is not a host name (such as one with a port),
        /// and a host without pins, fail every request with ``HTTPError`` of kind `configuration`. A request to a
        /// pinned host over plain http fails with kind `tls` and is not sent.
        public var pins: [String: Set<PublicKeyPin>] {
            get { pinned.pins }
            set { pinned = PinnedHost.normalised(newValue) }
        }
        private var pinned: PinnedHost.Normalised
        /// The certificate for servers that ask for one. Defaults to none.
        public var clientCertificate: ClientCertificate?
        /// The minimum version of TLS. Defaults to 1.2.
        public var minimumVersion: TLSVersion

        /// Makes TLS settings.
        ///
        /// - Parameters:
        ///   - roots: The trusted roots. Defaults to the system's.
        ///   - pins: Pinned public keys by host. Defaults to none.
        ///   - clientCertificate: The certificate for servers that ask for one. Defaults to none.
        ///   - minimumVersion: The minimum version of TLS. Defaults to 1.2.
        public init(
            roots: Roots = .system, pins: [String: Set<PublicKeyPin>] = [:],
            clientCertificate: ClientCertificate? = nil, minimumVersion: TLSVersion = .tls12
        ) {
            self.roots = roots
            pinned = PinnedHost.normalised(pins)
            self.clientCertificate = clientCertificate
            self.minimumVersion = minimumVersion
        }

        /// Returns the pins of an origin's host; `nil` when it has none.
        package func pins(for origin: Origin) -> Set<PublicKeyPin>? {
            pins.isEmpty ? nil : pins(forHost: origin.host)
        }

        /// Returns the pins of a host in any spelling; `nil` when it has none.
        package func pins(forHost host: String) -> Set<PublicKeyPin>? {
            pins[PinnedHost.canonical((host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host).lowercased())]
        }

        /// Checks that the pins can be verified for an origin. Throws ``HTTPError`` of kind `configuration` for pins
        /// that can never match, `tls` for a pinned host over plain http.
        package func checkPins(for origin: Origin) throws(HTTPError) {
            if pins.isEmpty { return }
            if let problem = pinned.problem {
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
    public struct Roots: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case system
            case file(URL)
            case pem(String)
        }

        package let kind: Kind

        /// The roots that the system trusts.
        public static let system = Roots(kind: .system)

        /// Trusts only the certificates in a PEM file (RFC 7468).
        ///
        /// - Parameter url: The URL of the file, which is read when a connection is made. If it cannot be read, each request
        ///   fails with ``HTTPError`` of kind `unreadableFile`.
        public static func file(_ url: URL) -> Roots { Roots(kind: .file(url)) }

        /// Trusts only the given certificates.
        ///
        /// - Parameter text: One or more certificates in PEM (RFC 7468).
        public static func pem(_ text: String) -> Roots { Roots(kind: .pem(text)) }
    }

    /// A version of TLS. More may be added.
    public struct TLSVersion: Sendable, Hashable {
        private enum Kind: Sendable, Hashable { case tls12, tls13 }

        private let kind: Kind

        /// TLS 1.2 (RFC 5246).
        public static let tls12 = TLSVersion(kind: .tls12)
        /// TLS 1.3 (RFC 8446).
        public static let tls13 = TLSVersion(kind: .tls13)
    }

    /// A client certificate with its private key, in files.
    public struct ClientCertificate: Sendable, Hashable {
        /// The PEM file with the certificate and its intermediate certificates.
        public var certificate: URL
        /// The PEM file with the private key.
        public var key: URL
        /// The password of the private key; `nil` when it is not encrypted.
        public var password: String?

        /// Names the files, which are read when a connection is made.
        ///
        /// - Parameter key: The PEM file with the private key.
        public init(certificate: URL, key: URL, password: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

    /// The SHA-256 hash of a server's public key (SubjectPublicKeyInfo in DER, RFC 7469).
    public struct PublicKeyPin: Sendable, Hashable {
        /// The hash in base64, 44 characters.
        public let sha256: String

        /// Makes a pin of a hash in base64. This command prints the hash of a certificate's key:
        ///
        /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`
        ///
        /// - Parameter text: 32 bytes in base64, with or without the prefix `sha256/` or `sha256//`.
        /// - Throws: ``HTTPError`` of kind `configuration` when it is not 32 bytes in base64.
        public init(sha256 text: String) throws(HTTPError) {
            var hash = Substring(text)
            if hash.hasPrefix("sha256/") { hash = hash.dropFirst(7) }
            if hash.hasPrefix("/") && hash.count == 45 { hash = hash.dropFirst() }
            guard Data(base64Encoded: String(hash))?.count == 32 else {
                throw HTTPError(.configuration("tls.pins"), reason: "\(text.quoted) is not 32 bytes in base64")
            }
            sha256 = String(hash)
        }
    }
}

extension EngineConfiguration.ClientCertificate: CustomStringConvertible {
    /// The paths of the files. The password is omitted.
    public var description: String {
        "\(certificate.path(percentEncoded: false)) with \(key.path(percentEncoded: false))"
    }
}

extension EngineConfiguration.ClientCertificate: SafelyDescribed {}

extension EngineConfiguration.Roots: SafelyDescribed {
    /// The source of the roots. Their text is omitted, because it may include a private key.
    public var description: String {
        switch kind {
        case .system: "the system's roots"
        case .file(let url): url.path(percentEncoded: false)
        case .pem(let text): "\(text.utf8.count) bytes of PEM"
        }
    }
}

/// The canonical spelling of hosts with pins, so that every spelling of a host has its pins.
enum PinnedHost {
    typealias Pins = [String: Set<EngineConfiguration.PublicKeyPin>]

    struct Normalised: Sendable, Hashable {
        /// By canonical host.
        var pins: Pins = [:]
        /// What is wrong with the first key that can never match.
        var problem: String?
    }

    static func normalised(_ pins: Pins) -> Normalised {
        var result = Normalised()
        for (key, keys) in pins.sorted(by: { $0.key < $1.key }) {
            let host = host(key)
            if host == nil { result.problem = result.problem ?? "\(key.quoted) is not the name of a host" }
            if keys.isEmpty { result.problem = result.problem ?? "\(key.quoted) has no pins" }
            result.pins[host ?? key, default: []].formUnion(keys)
        }
        return result
    }

    /// Returns the host that a key names; `nil` when it is not exactly a host.
    private static func host(_ key: String) -> String? {
        let isAddress = key.contains(":") && !key.hasPrefix("[")
        let text = isAddress ? "[\(key)]" : key
        guard let origin = try? Origin(ofURL: "https://\(text)"), origin.host == text.lowercased() else { return nil }
        let host = canonical(origin.host)
        return host.isEmpty || host.hasSuffix(".") ? nil : host
    }

    /// Returns the canonical spelling of an ``Origin``'s host: a name without the dot at its end, an IPv6 address with
    /// all groups and without leading zeros.
    static func canonical(_ host: String) -> String {
        guard host.hasPrefix("[") else { return host.hasSuffix(".") ? String(host.dropLast()) : host }
        let halves = host.dropFirst().dropLast().split(separator: "::", omittingEmptySubsequences: false).map(groups)
        guard let first = halves.first else { return host }
        let last = halves.count > 1 ? halves[1] : []
        let zeros = Array(repeating: UInt16(0), count: max(0, 8 - first.count - last.count))
        return "[" + (first + zeros + last).map { String($0, radix: 16) }.joined(separator: ":") + "]"
    }

    /// Returns the groups of a part of an IPv6 address, which may end with an IPv4 address (RFC 4291 section 2.2).
    private static func groups(_ part: Substring) -> [UInt16] {
        part.split(separator: ":").flatMap { group -> [UInt16] in
            guard group.contains(".") else { return [UInt16(group, radix: 16) ?? 0] }
            let bytes = group.split(separator: ".").map { UInt16($0) ?? 0 }
            return bytes.count == 4 ? [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]] : []
        }
    }
}
