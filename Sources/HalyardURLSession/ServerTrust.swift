#if canImport(Security)
    import CryptoKit
    import Foundation
    import HalyardHTTP
    import Security

    /// Decides whether a server is the one that it says it is.
    struct ServerTrust {
        private let roots: [SecCertificate]?
        private let pins: [String: Set<EngineConfiguration.PublicKeyPin>]

        /// Nil where the roots cannot be read.
        init?(_ tls: EngineConfiguration.TLS) {
            pins = tls.pins
            switch tls.roots {
            case .system: roots = nil
            case .pem(let text): roots = Self.certificates(inPEM: text)
            case .file(let url): roots = (try? String(contentsOf: url, encoding: .utf8)).map(Self.certificates)
            }
            if tls.roots != .system, roots?.isEmpty ?? true { return nil }
        }

        private static func certificates(inPEM text: String) -> [SecCertificate] {
            text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { block in
                let base64 = block.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
                    .flatMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            }
        }

        /// The credential to go on with; nil leaves it to the system.
        func check(_ space: URLProtectionSpace) throws(HTTPError) -> URLCredential? {
            let host = space.host.lowercased()
            guard let trust = space.serverTrust else { return nil }
            if let roots {
                SecTrustSetAnchorCertificates(trust, roots as CFArray)
                SecTrustSetAnchorCertificatesOnly(trust, true)
            }
            var error: CFError?
            guard SecTrustEvaluateWithError(trust, &error) else {
                throw HTTPError(.tls(Self.failure(of: trust, error)), reason: error.map { "\($0)" })
            }
            if let pins = pins[host], !pins.contains(where: { $0.sha256 == Self.keyHash(of: trust) }) {
                throw HTTPError(.tls(.wrongPin))
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
