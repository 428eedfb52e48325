import Halyard
import HalyardFoundation
import HalyardHTTP

/// One login with a browser: the URL that the user opens, and the secrets that tell its answer from a forged one.
struct Authorization: Sendable {
    /// Where the user signs in.
    let url: URL
    private let server: OAuthServer
    /// The text that is sent again with the code, because both must be equal (RFC 6749 section 4.1.3).
    private let redirectURL: String
    private let state = Self.random()
    private let verifier = Self.random()

    /// Makes a login. The parameters of the standards take precedence over `parameters`, and these over the client's.
    init(_ client: OAuthClient, redirectURL: URL, scopes: [String], parameters: Parameters) throws {
        server = client.server
        self.redirectURL = redirectURL.absoluteString
        let endpoint = try OAuthServer.required(server.authorizationURL, "authorization_endpoint")
        let place = try OAuthServer.secureRequest(.get, endpoint).address.text
        var all = parameters
        all.fill(from: client.parameters)
        all.setScopes(scopes)
        let challenge = SHA256Digest.hash(Array(verifier.utf8)).base64URL
        for (name, value) in [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirectURL.absoluteString),
            ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ] { all.set(.text(value), for: name) }
        // The endpoint may have a query of its own, but no fragment (RFC 6749 section 3.1).
        let query = String(decoding: try QueryEncoder.encode(all), as: UTF8.self)
        let text = place.prefix { $0 != "#" } + (place.contains("?") ? "&" : "?") + query
        guard let url = URL(string: String(text)) else { throw HTTPError(.invalidURL(place)) }
        self.url = url
    }

    /// The answer in a query: either the parameters of the request for tokens, or the refusal. `nil` if the query does
    /// not belong to this login.
    func answer(in query: some StringProtocol) -> Result<Parameters, OAuthError>? {
        guard let values = Self.values(in: query), values["state"] == state else { return nil }
        // A server that says so sends it with every code (RFC 9207 section 2.4). Some leave it out of an error, which
        // ends the login in any case.
        let issuer = server.issuer?.absoluteString
        let mayLackIssuer = !server.sendsIssuer || values["error"] != nil
        guard values["iss"] == issuer || values["iss"] == nil && mayLackIssuer || issuer == nil else {
            return .failure(OAuthError(.wrongIssuer, reason: "the redirect is not that of \(issuer ?? "")"))
        }
        if let error = values["error"] {
            return .failure(
                OAuthError(error, reason: values["error_description"]) { text in
                    [state, verifier].reduce(text) { $0.replacing($1, with: Redaction.mark) }
                })
        }
        guard let code = values["code"], !code.isEmpty else {
            return .failure(OAuthError(.invalidRequest, reason: "the redirect has neither a code nor an error"))
        }
        return .success([
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURL, "code_verifier": verifier,
        ])
    }

    /// The parameters of a query. `nil` if one occurs twice, which RFC 6749 section 3.1 forbids.
    private static func values(in query: some StringProtocol) -> [String: String]? {
        var values: [String: String] = [:]
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String(decoding: $0.percentDecoded(plusIsSpace: true), as: UTF8.self) }
            guard values.updateValue(texts.count > 1 ? texts[1] : "", forKey: texts[0]) == nil else { return nil }
        }
        return values
    }

    /// Returns 256 random bits as 43 characters that need no encoding (RFC 7636 section 4.1).
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<4).flatMap { _ in (generator.next() as UInt64).bigEndianBytes }).base64URL
    }
}

extension Authorization: SafelyDescribed {
    /// A fixed text. The secrets are not shown.
    var description: String { "a login with a browser" }
}
