public import Halyard
import HalyardFoundation
import HalyardHTTP

/// A client of an OAuth 2 authorization server (RFC 6749): its ID, how it proves its identity, and the server's
/// endpoints.
///
/// The client gets tokens. An ``OAuthSession`` keeps and renews them.
///
/// ```swift
/// let server = try await OAuthServer.discover(URL(string: "https://login.example.com")!)
/// let client = OAuthClient(id: "my-app", proof: .basic(secret: secret), server: server)
/// ```
public struct OAuthClient: Sendable {
    /// How a client authenticates itself to the server (section 2.3).
    public enum Proof: Sendable {
        /// Not at all, because a program on a user's machine cannot keep a secret.
        case none
        /// A secret in the `Authorization` header (`client_secret_basic`).
        case basic(secret: String)
        /// A secret in the body, for servers that do not accept the header (`client_secret_post`).
        case post(secret: String)
        /// A signed assertion (RFC 7523 section 2.2), which the closure makes for each request (`private_key_jwt`).
        case assertion(@Sendable () async throws -> String)
    }

    /// Parameters of every request for tokens, and of the URL with which a login with a browser begins: such as
    /// `resource` (RFC 8707) or `audience`. The flow's own parameters, such as `grant_type`, take precedence.
    public var parameters: Parameters

    let id: String
    let server: OAuthServer
    let key: DPoPKey?
    let time: PipelineTime
    private let proof: Proof
    private let http: HTTPClient

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - id: The `client_id`, which is not a secret.
    ///   - proof: Defaults to none, for a program on a user's machine.
    ///   - parameters: See ``OAuthClient/parameters``. Defaults to none.
    ///   - key: Binds the tokens to a key. A server that answers with other tokens, because it does not know DPoP, is
    ///     then refused (RFC 9449 section 5): its tokens would be of use to a thief. Defaults to none.
    ///   - http: Sends the requests for tokens. Defaults to ``HTTPClient/shared``.
    ///   - clock: Measures lifetimes and delays; a test passes its own.
    public init(
        id: String, proof: Proof = .none, server: OAuthServer, parameters: Parameters = [:], key: DPoPKey? = nil,
        http: HTTPClient = .shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        (self.id, self.proof, self.server, self.http) = (id, proof, server, http)
        (self.parameters, self.key) = (parameters, key)
        time = PipelineTime(clock)
    }

    /// Asks the token endpoint for tokens. Throws ``OAuthError``, or the ``HTTPError`` of the request.
    func token(_ parameters: Parameters) async throws -> OAuthToken {
        // The lifetime begins before the answer arrives, to be on the safe side.
        let start = time.date()
        let answer = try await tokenAnswer(to: parameters)
        guard let token = answer["access_token"].nonEmptyString else {
            throw HTTPError(.decoding, reason: "the answer of the token endpoint has no access_token")
        }
        try checkType(answer["token_type"].string?.lowercased())
        return OAuthToken(
            accessToken: token,
            expiration: answer["expires_in"].seconds(atMost: 1e9).map { start.addingTimeInterval($0) },
            refreshToken: answer["refresh_token"].nonEmptyString,
            // Some servers separate them with commas.
            scopes: answer["scope"].string?.split { $0 == " " || $0 == "," }.map(String.init),
            idToken: answer["id_token"].nonEmptyString)
    }

    /// Sends the parameters of one of the flows to the token endpoint, and again with a nonce that the server wants in
    /// the proof (RFC 9449 section 8).
    private func tokenAnswer(to parameters: Parameters) async throws -> JSON {
        var all = parameters
        all.fill(from: self.parameters)
        do { return try await post(all, to: server.tokenURL, key) } catch let error as OAuthError
            where key != nil && error.code == .other("use_dpop_nonce")
        {
            return try await post(all, to: server.tokenURL, key)
        }
    }

    private func checkType(_ type: String?) throws(HTTPError) {
        guard let key else {
            // Some servers have words of their own for bearer tokens.
            guard let type, ["dpop", "mac"].contains(type) else { return }
            throw HTTPError(
                .decoding, reason: "tokens of the type \(type) are not bearer tokens",
                suggestion: type == "dpop" ? "Give the `OAuthClient` a `DPoPKey`" : nil)
        }
        guard type != "dpop" else { return }
        throw HTTPError(
            .decoding, reason: "the server has not bound the token to \(key)",
            suggestion: "Let the server demand DPoP for this client, or leave out the `key` of the `OAuthClient`")
    }

    /// Makes the server forget tokens (RFC 7009): the refresh token, or else the access token. Does nothing if there
    /// is neither an endpoint nor a token. Throws ``OAuthError``, or the ``HTTPError`` of the request.
    func revoke(_ token: OAuthToken?) async throws {
        guard let url = server.revocationURL, let token else { return }
        let isRefresh = token.refreshToken != nil
        _ = try await post(
            [
                "token": token.refreshToken ?? token.accessToken,
                "token_type_hint": isRefresh ? "refresh_token" : "access_token",
            ], to: url)
    }

    /// Sends a form with the proof to an endpoint of the server, and returns its answer. The key is for the endpoint that
    /// issues tokens.
    func post(_ parameters: Parameters, to url: URL, _ key: DPoPKey? = nil) async throws -> JSON {
        var (parameters, request) = (parameters, try OAuthServer.secureRequest(.post, url))
        switch proof {
        case .basic(let secret):
            // Both are encoded as in a form (section 2.3.1).
            var credentials: [UInt8] = []
            credentials.append(percentEncoding: id)
            credentials.append(UInt8(ascii: ":"))
            credentials.append(percentEncoding: secret)
            request.headers[.authorization] = "Basic " + Data(credentials).base64EncodedString()
        case .none: parameters.set(.text(id), for: "client_id")
        case .post(let secret):
            parameters.set(.text(id), for: "client_id")
            parameters.set(.text(secret), for: "client_secret")
        case .assertion(let make):
            parameters.set(.text(id), for: "client_id")
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            parameters.set(.text(type), for: "client_assertion_type")
            parameters.set(.text(try await make()), for: "client_assertion")
        }
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = HTTPBody(Data(try QueryEncoder.encode(parameters)))
        try await key?.addProof(to: &request, at: time.date())
        let response = try await http.send(request, options: OAuthServer.options)
        _ = key?.keepNonce(of: response, to: request)
        let answer = try? JSON(parsing: response.data)
        // Some servers send errors with the status 200.
        if let answer, let error = answer["error"].string {
            let redact = Redaction(request, response).text
            throw OAuthError(error, reason: answer["error_description"].string, redact: redact)
        }
        guard response.isSuccessful else {
            throw HTTPError(.status(response.status), request: request, response: response)
        }
        return answer ?? [:]
    }
}

extension OAuthClient: SafelyDescribed {
    /// The ID of the client, without its proof.
    public var description: String { "the OAuth client \(id)" }
}

extension OAuthClient.Proof: SafelyDescribed {
    /// A fixed text. The secret is not shown.
    public var description: String { "a proof of an OAuth client" }
}

extension Parameters {
    /// Sets the scopes of a request (RFC 6749 section 3.3). None leaves the choice to the server.
    mutating func setScopes(_ scopes: [String]) {
        if !scopes.isEmpty { set(.text(scopes.joined(separator: " ")), for: "scope") }
    }
}

extension JSON {
    /// A text that is not empty.
    fileprivate var nonEmptyString: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A number of seconds above zero, as a number or a text. `nil` for another value, which says nothing.
    func seconds(atMost limit: Double) -> Double? {
        guard let seconds = double ?? string.flatMap(Double.init), seconds > 0 else { return nil }
        return min(seconds, limit)
    }
}
