public import Halyard
public import HalyardFoundation
import HalyardHTTP

/// A program that an authorization server of OAuth 2 (RFC 6749) knows.
///
/// ```swift
/// let client = OAuthClient(
///     id: "my-app", proof: .basic(secret: secret),
///     tokenURL: URL(string: "https://login.example.com/token")!)
/// ```
public struct OAuthClient: Sendable {
    /// How a client proves who it is (section 2.3).
    public enum Proof: Sendable {
        /// It does not: a program on a user's machine cannot keep a secret.
        case none
        /// A secret in the header `Authorization`.
        case basic(secret: String)
        /// A secret in the body, for servers that do not accept the header.
        case post(secret: String)
        /// A signed assertion (RFC 7523 section 2.2), which the closure makes for each request.
        case assertion(@Sendable () async throws -> String)
    }

    let id: String
    let time: PipelineTime
    private let proof: Proof
    private let tokenURL: URL
    private let http: HTTPClient

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - tokenURL: The token endpoint: over https, or on this machine.
    ///   - http: Sends the requests for tokens. Defaults to ``HTTPClient/shared``.
    ///   - clock: Measures lifetimes and delays; a test passes its own.
    public init(
        id: String, proof: Proof = .none, tokenURL: URL, http: HTTPClient = .shared,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        (self.id, self.proof, self.tokenURL, self.http) = (id, proof, tokenURL, http)
        time = PipelineTime(clock)
    }

    /// Asks the token endpoint for tokens. Throws ``OAuthError``, or the ``HTTPError`` of the request.
    func token(_ parameters: Parameters) async throws -> OAuthToken {
        // The lifetime begins before the answer arrives, to be on the safe side.
        let start = time.date()
        let answer = try await post(parameters, to: tokenURL)
        guard let token = answer["access_token"].string, !token.isEmpty else {
            throw HTTPError(.decoding, reason: "the answer of the token endpoint has no access_token")
        }
        let seconds = answer["expires_in"].double ?? answer["expires_in"].string.flatMap(Double.init)
        return OAuthToken(
            accessToken: token, expiration: seconds.map { start.addingTimeInterval($0) },
            refreshToken: answer["refresh_token"].string,
            scopes: answer["scope"].string?.split(separator: " ").map(String.init))
    }

    /// Sends a form with the proof to an endpoint of the server, and returns its answer.
    func post(_ parameters: Parameters, to url: URL) async throws -> JSON {
        var (parameters, request) = (parameters, try HTTPRequest(.post, url))
        guard request.origin.scheme == "https" || request.origin.isLoopback else {
            throw HTTPError(.insecureCredentials("\(request.origin)"), request: request)
        }
        request.headers["Accept"] = "application/json"
        request.secretNames.formUnion(["client_secret", "refresh_token", "client_assertion", "device_code", "token"])
        switch proof {
        case .basic(let secret):
            // Both are encoded as in a form (section 2.3.1).
            let parts = [id, secret].map {
                String(decoding: QueryEncoder.encode(pairs: ["": $0]).dropFirst(), as: UTF8.self)
            }
            request.headers[.authorization] = "Basic " + Data(parts.joined(separator: ":").utf8).base64EncodedString()
        case .none: parameters.append(id, for: "client_id")
        case .post(let secret):
            parameters.append(id, for: "client_id")
            parameters.append(secret, for: "client_secret")
        case .assertion(let make):
            parameters.append(id, for: "client_id")
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            parameters.append(type, for: "client_assertion_type")
            parameters.append(try await make(), for: "client_assertion")
        }
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = HTTPBody(Data(try QueryEncoder.encode(parameters)))
        let response = try await http.send(request)
        let answer = try? JSON(parsing: response.data)
        // Some servers send errors with the status 200.
        if let error = answer.flatMap(OAuthError.init) { throw error }
        guard response.isSuccessful else {
            throw HTTPError(.status(response.status), request: request, response: response)
        }
        return answer ?? [:]
    }
}
