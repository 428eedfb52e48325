#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension EngineConfiguration {
    /// How servers are trusted, and how this side shows who it is.
    ///
    /// ```swift
    /// var tls = EngineConfiguration.TLS(roots: .pem(certificates))
    /// tls.pins["api.example.com"] = [try PublicKeyPin(sha256: "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")]
    /// ```
    public struct TLS: Sendable, Hashable {
        /// Whom certificates must lead back to, servers' and a proxy's. The system's roots unless given.
        public var roots: Roots
        /// Keys that a server must have, by host: with one of them its certificate is also checked as any other, without
        /// one it is refused. Hosts that are not named here are not pinned.
        ///
        /// Case, and a dot at the end of a name, make no difference. A host that is none, such as one with a port, and one
        /// without keys, fail every request with ``HTTPError`` of kind `configuration`. Over plain http a server shows no
        /// key: a request for a pinned host fails with kind `tls`, and is not sent.
        public var pins: [String: Set<PublicKeyPin>] {
            get { pinned.pins }
            set { pinned = PinnedHost.normalised(newValue) }
        }
        private var pinned: PinnedHost.Normalised
        /// What this side shows to a server that asks.
        public var clientCertificate: ClientCertificate?
        /// The oldest version of TLS that is spoken. 1.2 unless given.
        public var minimumVersion: Version

        /// The system's roots, TLS 1.2 or later, and no more, but for what is given.
        public init(
            roots: Roots = .system, pins: [String: Set<PublicKeyPin>] = [:],
            clientCertificate: ClientCertificate? = nil, minimumVersion: Version = .tls12
        ) {
            self.roots = roots
            pinned = PinnedHost.normalised(pins)
            self.clientCertificate = clientCertificate
            self.minimumVersion = minimumVersion
        }

        /// The pins of an origin's host; nil where it has none.
        package func pins(for origin: Origin) -> Set<PublicKeyPin>? {
            pins.isEmpty ? nil : pins(forHost: origin.host)
        }

        /// The pins of a host, however it is spelt; nil where it has none.
        package func pins(forHost host: String) -> Set<PublicKeyPin>? {
            pins[PinnedHost.canonical((host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host).lowercased())]
        }

        /// Makes sure that what is pinned can be checked.
        ///
        /// - Throws: ``HTTPError`` of kind `configuration` for pins that could never fit, `tls` for a pinned host over http.
        package func checkPins(for origin: Origin) throws(HTTPError) {
            if pins.isEmpty { return }
            if let flaw = pinned.flaw {
                throw HTTPError(
                    .configuration("tls.pins"), reason: flaw,
                    suggestion: "Name each host alone, as api.example.com, with at least one pin")
            }
            guard origin.scheme == "http", pins(for: origin) != nil else { return }
            throw HTTPError(
                .tls(.wrongPin), reason: "\(origin) is pinned, and shows no key over plain http",
                suggestion: "Use https")
        }
    }

    /// Whom certificates must lead back to.
    public enum Roots: Sendable, Hashable {
        /// The roots that the system trusts.
        case system
        /// These alone: a file with one certificate or many in PEM (RFC 7468).
        case file(URL)
        /// These alone: one certificate or many in PEM.
        case pem(String)
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A certificate with its key, in files.
    public struct ClientCertificate: Sendable, Hashable {
        /// The file with the certificate, and those between it and its root, in PEM.
        public var certificate: URL
        /// The file with the private key, in PEM.
        public var key: URL
        /// What the key is encrypted with, if it is.
        public var password: String?

        /// Names the files; they are read when a connection is made.
        public init(certificate: URL, key: URL, password: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

    /// The SHA-256 hash of a server's public key (its SubjectPublicKeyInfo in DER, as RFC 7469 has it).
    public struct PublicKeyPin: Sendable, Hashable {
        /// The hash in base64, 44 characters.
        public let sha256: String

        /// Takes a hash in base64, with or without `sha256/` or `sha256//` before it.
        ///
        /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`
        /// makes one of a certificate.
        ///
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
    /// The files. No password.
    public var description: String {
        "\(certificate.path(percentEncoded: false)) with \(key.path(percentEncoded: false))"
    }
}

extension EngineConfiguration.ClientCertificate: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension EngineConfiguration.Roots: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the roots come from, without their text, which may have a private key beside them.
    public var description: String {
        switch self {
        case .system: "the system's roots"
        case .file(let url): url.path(percentEncoded: false)
        case .pem(let text): "\(text.utf8.count) bytes of PEM"
        }
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
