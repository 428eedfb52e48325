public import HalyardFoundation
import HalyardHTTP

/// An error of a login: the server's refusal (RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5), or the need to
/// sign in.
public struct OAuthError: Error, Hashable, Sendable {
    /// The reason, where there is one in the words of the standards. More may be added, so keep a `default` in a
    /// `switch`.
    public enum Code: Hashable, Sendable {
        /// The request lacks a parameter, or has one that the server does not know.
        case invalidRequest
        /// The server does not know the client, or does not accept its proof.
        case invalidClient
        /// The refresh token, or the code of a login, is not valid any more.
        case invalidGrant
        /// The client is not allowed to use this kind of login.
        case unauthorizedClient
        /// The server does not have this kind of login.
        case unsupportedGrantType
        /// The server does not know one of the scopes, or does not grant it to this client.
        case invalidScope
        /// The user has refused.
        case accessDenied
        /// The login was not confirmed in time.
        case expiredToken
        /// The server has failed, and could only say so by a redirect.
        case serverError
        /// The server is busy, and could only say so by a redirect.
        case temporarilyUnavailable
        /// There are no tokens, or the server rejected the refresh token. The user has to sign in.
        case signInRequired
        /// A document or a redirect is that of another issuer (RFC 8414 section 3.3, RFC 9207 section 2.4).
        case wrongIssuer
        /// A redirect does not belong to this login (RFC 6749 section 10.12).
        case stateMismatch
        /// The server lacks an endpoint. The payload is its name in RFC 8414, such as `revocation_endpoint`.
        case missingEndpoint(String)
        /// The port for the redirect of a browser cannot be opened.
        case portUnavailable
        /// A code of the server that is none of the above.
        case other(String)
    }

    /// The reason.
    public let code: Code
    /// Details for developers, such as the server's `error_description`. `nil` if there are none.
    public let reason: String?

    init(_ code: Code, reason: String? = nil) { (self.code, self.reason) = (code, reason) }

    /// Makes the error of a server. `redact` removes secrets of the request, which a server may repeat.
    init(_ error: String, reason: String?, redact: (String) -> String) {
        code = Self.codes[error] ?? .other(redact(error).inOneLine(100))
        self.reason = reason.map { redact($0).inOneLine }
    }

    private static let codes: [String: Code] = [
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "invalid_scope": .invalidScope, "access_denied": .accessDenied, "expired_token": .expiredToken,
        // GitHub and Slack have words of their own.
        "bad_refresh_token": .invalidGrant, "invalid_refresh_token": .invalidGrant,
        "bad_verification_code": .invalidGrant, "incorrect_device_code": .invalidGrant,
        "server_error": .serverError, "temporarily_unavailable": .temporarilyUnavailable,
    ]
}

extension OAuthError: CustomStringConvertible, LocalizedError {
    /// The reason and the way out. It shows no token, code or secret of the client.
    public var description: String { code.summary + (reason.map { " (\($0))" } ?? "") }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension OAuthError.Code {
    fileprivate var summary: String {
        switch self {
        case .invalidRequest: "the authorization server refuses the request"
        case .invalidClient: "the authorization server does not accept the client. Check its ID and its proof"
        case .invalidGrant: "the login is not valid any more. Sign in again"
        case .unauthorizedClient, .unsupportedGrantType: "the client cannot sign in this way"
        case .invalidScope: "the server does not grant one of the scopes"
        case .accessDenied: "the user has refused the login"
        case .expiredToken: "the login was not confirmed in time"
        case .serverError: "the authorization server has failed. Try again later"
        case .temporarilyUnavailable: "the authorization server is busy. Try again later"
        case .signInRequired: "there is no login. Sign in first"
        case .wrongIssuer: "this is another authorization server. Use the issuer exactly as the server writes it"
        case .stateMismatch: "the redirect does not belong to this login. Start it again"
        case .missingEndpoint(let name):
            "the authorization server has no \(name). "
                + (Self.properties[name].map { "Set `\($0)` of the `OAuthServer`, or sign" } ?? "Sign")
                + " in another way"
        case .portUnavailable: "the port for the redirect cannot be opened. Use another one, or 0 for any free port"
        case .other("invalid_dpop_proof"):
            "the authorization server does not accept the proof of the key. Check the clock of this machine, and sign in "
                + "again if the key is another one than that of the login"
        case .other(let code): "the authorization server refuses the request: \(code)"
        }
    }

    /// The properties of ``OAuthServer`` by the name of the endpoint.
    private static let properties = [
        "authorization_endpoint": "authorizationURL", "device_authorization_endpoint": "deviceURL",
    ]
}
