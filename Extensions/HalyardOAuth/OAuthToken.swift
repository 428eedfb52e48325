public import HalyardFoundation
import HalyardHTTP

/// The tokens that a server has issued (RFC 6749 section 5.1).
public struct OAuthToken: Sendable, Hashable, Codable {
    /// The token that requests carry.
    public var accessToken: String
    /// When the access token expires. `nil` if the server did not say.
    public var expiration: Date?
    /// The token that gets a new access token. `nil` if the server sent none: then the user signs in again on expiry.
    public var refreshToken: String?
    /// What the token allows, if the server said so.
    public var scopes: [String]?
    /// The ID token of OpenID Connect as the server has sent it, which is not verified here. `nil` if there is none.
    public var idToken: String?

    /// Makes tokens, such as those of a login elsewhere.
    public init(
        accessToken: String, expiration: Date? = nil, refreshToken: String? = nil, scopes: [String]? = nil,
        idToken: String? = nil
    ) {
        (self.accessToken, self.expiration) = (accessToken, expiration)
        (self.refreshToken, self.scopes, self.idToken) = (refreshToken, scopes, idToken)
    }
}

extension OAuthToken: SafelyDescribed {
    /// The scopes and the expiration, without the tokens.
    public var description: String {
        let scopes = scopes.map { " for \($0.joined(separator: " "))" } ?? ""
        return "an OAuth token\(scopes)" + (expiration.map { " until \($0)" } ?? "")
    }
}

extension OAuthToken {
    /// Whether the access token is valid at a time, and for a while after it.
    func isValid(at date: Date) -> Bool { expiration.map { $0.timeIntervalSince(date) > 5 } ?? true }

    /// How long the access token is valid. `nil` if that is not known.
    func lifetime(at date: Date) -> Duration? {
        guard let seconds = expiration?.timeIntervalSince(date), seconds.isFinite else { return nil }
        return .seconds(min(max(seconds, -1e9), 1e9))
    }
}
