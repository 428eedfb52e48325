public import Halyard

/// What the outcome of a request tells about its origin, for a circuit breaker.
public enum CircuitOutcome: Sendable, Hashable {
    /// The origin works.
    case success
    /// The origin does not work.
    case failure
    /// The outcome tells nothing about the origin.
    case ignored

    /// Returns what an outcome tells, by default.
    ///
    /// - A response with the status 500, 502, 503 or 504 is a failure. Any other response is a success: a 404 or a 429
    ///   comes from a server that works.
    /// - An ``HTTPError`` without a response of the server is a failure: no such host, no connection, no TLS, a lost
    ///   connection, an invalid response, a time limit.
    /// - A cancelled request, and an error of the request itself or of its limits, is ignored.
    public static func standard(_ outcome: Result<HTTPResponse, any Error>) -> CircuitOutcome {
        switch outcome {
        case .success(let response): return [500, 502, 503, 504].contains(response.status) ? .failure : .success
        case .failure(let error as HTTPError):
            switch error.kind {
            case .hostNotFound, .cannotConnect, .tls, .timedOut, .connectionLost, .invalidResponse: return .failure
            default: return .ignored
            }
        case .failure: return .ignored
        }
    }
}
