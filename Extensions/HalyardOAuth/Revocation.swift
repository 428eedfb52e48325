import Halyard
import HalyardHTTP

extension OAuthClient {
    /// Makes the server forget tokens (RFC 7009): the refresh token, or else the access token. Does nothing if there is
    /// neither an endpoint nor a token. Throws ``OAuthError``, or the ``HTTPError`` of the request.
    func revoke(_ token: OAuthToken?) async throws {
        guard let url = server.revocationURL, let token else { return }
        let isRefresh = token.refreshToken != nil
        _ = try await post(
            [
                "token": token.refreshToken ?? token.accessToken,
                "token_type_hint": isRefresh ? "refresh_token" : "access_token",
            ], to: url)
    }
}
