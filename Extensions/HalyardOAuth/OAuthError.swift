public import HalyardFoundation
import HalyardHTTP

/// A refusal of the server that issues tokens (RFC 6749 section 5.2, RFC 8628 section 3.5), or the need of a login.
public struct OAuthError: Error, Hashable, Sendable {
    /// The reason in the words of the standards.
    public enum Code: Hashable, Sendable {
        /// The request lacks a parameter, or has one that the server does not know.
        case invalidRequest
        /// The server does not know the client, or does not accept its proof.
        case invalidClient
        /// The refresh token, or the code of a login, is not valid any more.
        case invalidGrant
        /// The client must not use this kind of login.
        case unauthorizedClient
        /// The server does not have this kind of login.
        case unsupportedGrantType
        /// The client must not have one of the scopes.
        case invalidScope
        /// The user has refused.
        case accessDenied
        /// The login was not confirmed in time.
        case expiredToken
        /// There are no tokens, or they were refused: the user has to sign in.
        case signInRequired
        /// A code of the server that no standard has.
        case other(String)
    }

    /// The reason.
    public let code: Code
    /// The server's words for developers. `nil` if it has sent none.
    public let reason: String?

    init(_ code: Code, reason: String? = nil) { (self.code, self.reason) = (code, reason) }

    /// The error of an answer of the token endpoint. `nil` if it has none.
    init?(_ answer: JSON) {
        guard let text = answer["error"].string else { return nil }
        self.init(Self.codes[text] ?? .other(text), reason: answer["error_description"].string)
    }

    private static let codes: [String: Code] = [
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "invalid_scope": .invalidScope, "access_denied": .accessDenied, "expired_token": .expiredToken,
    ]
}

extension OAuthError: CustomStringConvertible, LocalizedError {
    /// The reason and the way out.
    public var description: String {
        let text: String =
            switch code {
            case .invalidRequest: "the authorization server refuses the request"
            case .invalidClient: "the authorization server does not accept the client. Check its ID and its proof"
            case .invalidGrant: "the login is not valid any more. Sign in again"
            case .unauthorizedClient, .unsupportedGrantType: "the client cannot sign in this way"
            case .invalidScope: "the client must not have one of the scopes"
            case .accessDenied: "the user has refused the login"
            case .expiredToken: "the login was not confirmed in time"
            case .signInRequired: "there is no login. Sign in first"
            case .other(let code): "the authorization server refuses the request: \(code)"
            }
        return text + (reason.map { " (\($0))" } ?? "")
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
