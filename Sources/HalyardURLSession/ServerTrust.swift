#if canImport(Security)
    import CryptoKit
    import Foundation
    import HalyardHTTP
    import Security

    /// Verifies the certificate of a server against the configured roots and pins.
    struct ServerTrust {
        /// The configured roots; `nil` for the system's.
        private let roots: [SecCertificate]?
        private let tls: EngineConfiguration.TLS

        /// Reads the configured roots. Throws ``HTTPError`` of kind `configuration` if they contain no certificate, and
        /// `unreadableFile`.
        init(_ tls: EngineConfiguration.TLS) throws(HTTPError) {
            self.tls = tls
            switch tls.roots {
            case .system: roots = nil
            case .pem(let text): roots = Self.certificates(inPEM: text)
            case .file(let url):
                guard let data = try FileSource.read(url) else {
                    throw HTTPError(.unreadableFile(url.path(percentEncoded: false)), reason: "there is no such file")
                }
                roots = Self.certificates(inPEM: String(decoding: data, as: UTF8.self))
            }
            if let roots, roots.isEmpty {
                throw HTTPError(.configuration("tls.roots"), reason: "the roots contain no readable certificate")
            }
        }

        private static func certificates(inPEM text: String) -> [SecCertificate] {
            text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { block in
                let base64 = block.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
                    .flatMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            }
        }

        /// Verifies a server. Returns the credential to continue with; `nil` to let the system verify the certificate
        /// once more. Throws ``HTTPError`` of kind `tls` or `configuration` for a server that is not trusted, also if
        /// roots or pins cannot be verified.
        func check(_ space: URLProtectionSpace) throws(HTTPError) -> URLCredential? {
            let pins = tls.pins(forHost: space.host)
            guard let trust = space.serverTrust else {
                if roots == nil && pins == nil { return nil }
                throw HTTPError(.tls(.badCertificate), reason: "the system provides no trust object")
            }
            if let roots {
                guard SecTrustSetAnchorCertificates(trust, roots as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
                else { throw HTTPError(.configuration("tls.roots"), reason: "the system rejects the roots") }
            }
            var error: CFError?
            guard SecTrustEvaluateWithError(trust, &error) else {
                throw HTTPError(.tls(Self.failure(of: trust, error)), reason: error.map { "\($0)" })
            }
            if let pins {
                guard let hash = Self.keyHash(of: trust), pins.contains(hash) else {
                    throw HTTPError(.tls(.wrongPin))
                }
            }
            return roots == nil ? nil : URLCredential(trust: trust)
        }

        private static func leaf(of trust: SecTrust) -> SecCertificate? {
            (SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.first
        }

        private static func keyHash(of trust: SecTrust) -> String? {
            leaf(of: trust).flatMap { PublicKeyInfo.find(inCertificate: SecCertificateCopyData($0) as Data) }
                .map { Data(SHA256.hash(data: $0)).base64EncodedString() }
        }

        private static func failure(of trust: SecTrust, _ error: CFError?) -> HTTPError.TLSFailure {
            switch error.map({ OSStatus(truncatingIfNeeded: CFErrorGetCode($0)) }) {
            case errSecCertificateExpired, errSecCertificateNotValidYet: return .expired
            case errSecHostNameMismatch: return .wrongHost
            case errSecNotTrusted, errSecCreateChainFailed:
                guard let leaf = leaf(of: trust), let issuer = SecCertificateCopyNormalizedIssuerSequence(leaf),
                    let subject = SecCertificateCopyNormalizedSubjectSequence(leaf)
                else { return .unknownRoot }
                return issuer as Data == subject as Data ? .selfSigned : .unknownRoot
            default: return .badCertificate
            }
        }
    }
#endif
