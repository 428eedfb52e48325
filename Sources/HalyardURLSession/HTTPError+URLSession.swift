import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPError {
    /// URLSession's error in Halyard's words.
    init(_ error: URLError, _ request: HTTPRequest) {
        let origin = request.origin
        let kind: Kind
        switch error.code {
        case .badURL: kind = .invalidURL("\(origin)")
        // The URL's scheme was checked before: on Linux it is the response that begins with another than HTTP.
        case .unsupportedURL: kind = .invalidResponse
        case .timedOut: kind = .timedOut
        case .cancelled: kind = .cancelled
        case .cannotFindHost, .dnsLookupFailed: kind = .hostNotFound(origin.host)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            kind = .cannotConnect("\(origin)")
        case .appTransportSecurityRequiresSecureConnection: kind = .insecureConnection("\(origin)")
        case .networkConnectionLost, .requestBodyStreamExhausted: kind = .connectionLost
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            kind = .invalidResponse
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: kind = .tls(.handshake)
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: kind = .tls(.expired)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: kind = .tls(.unknownRoot)
        case .unknown: kind = Self.kind(words: error.localizedDescription)
        default: kind = .engine(code: error.code.rawValue)
        }
        self.init(kind, reason: error.localizedDescription, request: request, cause: error)
    }

    /// What libcurl's words say: on Linux URLSession has one code for all that it knows no other for.
    private static func kind(words: String) -> Kind {
        if let failure = TLSFailure(words: words) { return .tls(failure) }
        let signs = [
            "transfer closed with", "Recv failure", "Send failure", "Empty reply", "SSL_read", "SSL_write",
            "was not closed cleanly",
        ]
        return signs.contains { words.contains($0) } ? .connectionLost : .engine(code: -1)
    }
}

extension HTTPError.TLSFailure {
    /// What libcurl says of a certificate.
    init?(words: String) {
        if words.contains("no alternative certificate subject name") || words.contains("does not match target host") {
            self = .wrongHost
        } else if !words.contains("certificate problem") {
            return nil
        } else if words.contains("expired") || words.contains("not yet valid") {
            self = .expired
        } else if words.hasSuffix("self-signed certificate") || words.hasSuffix("self signed certificate") {
            self = .selfSigned
        } else {
            self = .unknownRoot
        }
    }
}
