public import Halyard
import HalyardFoundation
public import HalyardHTTP

extension Authentication {
    /// The access tokens of a login with OAuth 2. See ``OAuthSession``.
    public static func oauth(_ session: OAuthSession, allowsHTTP: Bool = false) -> Authentication {
        Authentication(session, allowsHTTP: allowsHTTP)
    }
}

/// A login with OAuth 2 (RFC 6749) that keeps its tokens valid. Keep one session for all requests of an API.
///
/// ```swift
/// let session = OAuthSession(client, store: OAuthFileStore(file))
/// let api = MusicAPI(authentication: .oauth(session))
/// ```
///
/// The access token is renewed shortly before it expires, or when the API refuses it: once for all requests, of all
/// processes that share the store. A refresh token that the server replaces is saved before the new tokens are used.
/// If they cannot be saved, requests fail with the error of the store, and the next one tries again to save them.
///
/// If a renewal fails, the refresh token is kept for the next request. If the server rejects it, the login has
/// ended: requests that need a new access token fail with ``OAuthError`` of code `signInRequired`, until you call
/// ``signIn(_:)``. A renewal takes at most 30 seconds.
public final class OAuthSession: Sendable {
    private let tokens: Renewable<OAuthToken>
    private let renewal: OAuthRenewal
    private let turns = Turns()

    /// Creates the session of a user. Pass the tokens of the login to ``signIn(_:)``.
    public convenience init(_ client: OAuthClient, store: any OAuthTokenStore = OAuthMemoryStore()) {
        self.init(OAuthRenewal(client: client, store: store) { throw OAuthError(.signInRequired) })
    }

    /// Makes the session of a program that signs in by itself, with its client credentials (RFC 6749 section 4.4).
    ///
    /// - Parameter scopes: What the tokens should allow. Defaults to what the server chooses.
    public convenience init(
        clientCredentials client: OAuthClient, scopes: [String] = [], store: any OAuthTokenStore = OAuthMemoryStore()
    ) {
        self.init(
            OAuthRenewal(client: client, store: store) {
                var all: Parameters = ["grant_type": "client_credentials"]
                all.setScopes(scopes)
                return try await client.token(all)
            })
    }

    private init(_ renewal: OAuthRenewal) {
        self.renewal = renewal
        let (time, turns) = (renewal.client.time, turns)
        tokens = Renewable(nil, leeway: .seconds(30), now: time.now) { refused in
            let token = try await turns.next { try await renewal.token(refused: refused) }
            return (token, token.lifetime(at: time.date()))
        }
    }

    /// Saves the tokens of a login, and uses them from now on. Throws the error of the store.
    ///
    /// They replace all earlier tokens, which are not revoked. A renewal in progress ends first.
    public func signIn(_ token: OAuthToken) async throws {
        let (renewal, tokens) = (renewal, tokens)
        try await turns.next {
            try await renewal.replace(with: token)
            tokens.update((token, token.lifetime(at: renewal.client.time.date())))
        }
    }

    /// Removes the tokens, and then revokes them if the server has a revocation endpoint (RFC 7009).
    ///
    /// A renewal in progress ends first. The tokens are removed even if they cannot be revoked; the error is thrown
    /// afterwards, and calling this function again does not revoke them. Requests that need a token fail with
    /// ``OAuthError`` of code `signInRequired`, but a session with client credentials signs in again.
    ///
    /// The refresh token is revoked, and most servers then refuse its access tokens as well. If there is none, the
    /// access token is revoked.
    ///
    /// - Throws: The error of the store if it cannot remove the tokens, which are revoked nevertheless; ``OAuthError``
    ///   or ``HTTPError`` if they cannot be revoked; or `CancellationError` if the task is cancelled before they are.
    public func signOut() async throws {
        let (renewal, tokens) = (renewal, tokens)
        let (last, failure) = try await turns.next {
            let (stored, failure) = await renewal.remove()
            defer { tokens.update(nil) }
            return (stored ?? tokens.value, failure)
        }
        do { try await renewal.client.revoke(last) } catch { throw failure ?? error }
        if let failure { throw failure }
    }
}

extension OAuthSession: Authenticator {
    /// Adds the access token, which is renewed first if it has expired, and a proof if the client has a key. Throws
    /// ``OAuthError``, the error of the request for a token, of the store or of the key's closure, or
    /// `CancellationError`.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !tokens.isRenewedByThisTask else { return }
        // They may be removed while this request waits. The next try says whether there can be others.
        var token = try await tokens.current()
        if token == nil { token = try await tokens.current() }
        guard let token else { throw OAuthError(.signInRequired) }
        request.headers[.authorization] = credentials(token)
        try await renewal.client.key?.addProof(
            to: &request, token: token.accessToken, at: renewal.client.time.date())
    }

    private func credentials(_ token: OAuthToken) -> String {
        "\(renewal.client.key == nil ? "Bearer" : "DPoP") \(token.accessToken)"
    }

    /// Renews the tokens after a 401, if that has not happened since the request was sent. Returns whether there is
    /// another access token, or the nonce that the API wants in a proof (RFC 9449 section 9). Throws like
    /// ``authenticate(_:)``.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !tokens.isRenewedByThisTask, let sent = request.headers[.authorization], let current = tokens.value else {
            return false
        }
        if let key = renewal.client.key, key.keepNonce(of: response, to: request) { return true }
        guard sent == credentials(current) else { return true }
        return try await tokens.renewed(refused: current).map { $0.accessToken != current.accessToken } ?? false
    }
}

extension OAuthSession: SafelyDescribed {
    /// A fixed text. The tokens are not shown.
    public var description: String { "an OAuth session" }
}
