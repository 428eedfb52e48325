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
        case .networkConnectionLost, .requestBodyStreamExhausted: kind = .connectionLost
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            kind = .invalidResponse
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: kind = .tls(.handshake)
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: kind = .tls(.expired)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: kind = .tls(.unknownRoot)
        default: kind = .engine(code: error.code.rawValue)
        }
        self.init(kind, reason: error.localizedDescription, request: request, cause: error)
    }
}
