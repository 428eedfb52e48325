public import Halyard
public import HalyardFoundation
import HalyardHTTP

extension OAuthClient {
    /// Signs in a user with a browser that you present: the authorization code flow (RFC 6749 section 4.1) with PKCE
    /// (RFC 7636).
    ///
    /// ```swift
    /// let token = try await client.login(redirectURL: URL(string: "com.example.app:/callback")!) { url in
    ///     try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
    /// }
    /// try await session.signIn(token)
    /// ```
    ///
    /// - Parameters:
    ///   - redirectURL: The redirect URL that you have registered at the server, character by character.
    ///   - parameters: Further parameters of the authorization URL, such as `prompt`.
    ///   - present: Shows the authorization URL to the user, and returns the URL to which the server redirects. Neither
    ///     of them belongs in a log.
    /// - Throws: ``OAuthError``, such as `accessDenied`, `stateMismatch` for a URL that is not the answer to this login,
    ///   `wrongIssuer`, or `missingEndpoint`; ``HTTPError``; or the error of `present`.
    public func login(
        redirectURL: URL, scopes: [String] = [], parameters: Parameters = [:],
        present: (URL) async throws -> URL
    ) async throws -> OAuthToken {
        let login = try Authorization(
            id: id, server: server, redirectURL: redirectURL, scopes: scopes, parameters: parameters)
        let callback = try await present(login.url).absoluteString
        let query = callback.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        guard let answer = login.answer(in: query) else { throw OAuthError(.stateMismatch) }
        return try await token(try answer.get())
    }
}
