import HalyardFoundationNetworking
import HalyardHTTP

extension HTTPError {
    /// Makes the error for an error of URLSession.
    init(_ error: URLError, _ request: HTTPRequest) {
        let origin = request.origin
        let kind: Kind
        switch error.code {
        case .badURL: kind = .invalidURL("\(origin)")
        // The URL's scheme was checked before. On Linux the error means that the response does not begin with `HTTP`.
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
        case .unknown: kind = Self.kind(message: error.localizedDescription)
        default: kind = .engine(code: error.code.rawValue)
        }
        self.init(kind, reason: error.localizedDescription, request: request, cause: error)
    }

    /// Finds the kind in libcurl's message. On Linux URLSession uses the same code for many errors.
    private static func kind(message: String) -> Kind {
        if let failure = TLSFailure(message: message) { return .tls(failure) }
        let markers = [
            "transfer closed with", "Recv failure", "Send failure", "Empty reply", "SSL_read", "SSL_write",
            "was not closed cleanly",
        ]
        return markers.contains { message.contains($0) } ? .connectionLost : .engine(code: -1)
    }
}

extension HTTPError.TLSFailure {
    /// Finds the reason in libcurl's message about a certificate. `nil` for a message about something else.
    init?(message: String) {
        if message.contains("no alternative certificate subject name") || message.contains("does not match target host")
        {
            self = .wrongHost
        } else if !message.contains("certificate problem") {
            return nil
        } else if message.contains("expired") || message.contains("not yet valid") {
            self = .expired
        } else if message.hasSuffix("self-signed certificate") || message.hasSuffix("self signed certificate") {
            self = .selfSigned
        } else {
            self = .unknownRoot
        }
    }
}
