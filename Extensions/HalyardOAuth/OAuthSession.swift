public import Halyard
import HalyardFoundation
public import HalyardHTTP

extension Authentication {
    /// The bearer tokens of a login with OAuth 2. See ``OAuthSession``.
    public static func oauth(_ session: OAuthSession, allowsHTTP: Bool = false) -> Authentication {
        Authentication(session, allowsHTTP: allowsHTTP)
    }
}

/// A login with OAuth 2 (RFC 6749), whose tokens are renewed. All requests of an API share one session, so keep it.
///
/// ```swift
/// let session = OAuthSession(client, store: OAuthFileStore(file))
/// let api = MusicAPI(authentication: .oauth(session))
/// ```
///
/// The access token is renewed shortly before it expires, or when the API refuses it: once for all requests, of all
/// processes that share the store. A refresh token that the server replaces is saved before the new tokens are used. If
/// the server refuses the refresh token, the login has ended: requests fail with ``OAuthError`` of code `signInRequired`.
public final class OAuthSession: Sendable {
    private let tokens: Renewable<OAuthToken>
    private let store: any OAuthTokenStore
    private let turns = Turns()

    /// Makes the session of a user, who signs in once: see ``signIn(_:)``.
    public convenience init(_ client: OAuthClient, store: any OAuthTokenStore = OAuthMemoryStore()) {
        self.init(client, store) { throw OAuthError(.signInRequired) }
    }

    /// Makes the session of a program that signs in by itself, with its client credentials (RFC 6749 section 4.4).
    ///
    /// - Parameters:
    ///   - scopes: What the tokens should allow. Defaults to what the server chooses.
    ///   - parameters: Further parameters, such as `audience`, or `resource` (RFC 8707).
    public convenience init(
        clientCredentials client: OAuthClient, scopes: [String] = [], parameters: Parameters = [:],
        store: any OAuthTokenStore = OAuthMemoryStore()
    ) {
        self.init(client, store) {
            var all = parameters
            all.append("client_credentials", for: "grant_type")
            if !scopes.isEmpty { all.append(scopes.joined(separator: " "), for: "scope") }
            return try await client.token(all)
        }
    }

    /// `signIn` returns the tokens of a new login.
    private init(
        _ client: OAuthClient, _ store: any OAuthTokenStore,
        signIn: @escaping @Sendable () async throws -> OAuthToken
    ) {
        self.store = store
        let (time, turns) = (client.time, turns)
        tokens = Renewable(nil, leeway: .seconds(30), now: time.now) { refused in
            let token = try await turns.next {
                try await store.withLock {
                    let stored = try await store.load()
                    // Another process may have renewed them.
                    if let stored, stored.accessToken != refused?.accessToken, stored.isValid(at: time.date()) {
                        return stored
                    }
                    let token = try await Self.renewed(stored, client, store, signIn)
                    try await store.save(token)
                    return token
                }
            }
            return (token, token.expiration.map { .seconds($0.timeIntervalSince(time.date())) })
        }
    }

    private static func renewed(
        _ stored: OAuthToken?, _ client: OAuthClient, _ store: any OAuthTokenStore,
        _ signIn: @Sendable () async throws -> OAuthToken
    ) async throws -> OAuthToken {
        guard let refreshToken = stored?.refreshToken else { return try await signIn() }
        do {
            var token = try await client.token([
                "grant_type": "refresh_token", "refresh_token": refreshToken,
            ])
            // A server that keeps the refresh token need not send it again (section 6).
            token.refreshToken = token.refreshToken ?? refreshToken
            token.scopes = token.scopes ?? stored?.scopes
            return token
        } catch let error as OAuthError where error.code == .invalidGrant {
            try await store.save(nil)
            do { return try await signIn() } catch let needed as OAuthError where needed.code == .signInRequired {
                throw OAuthError(.signInRequired, reason: error.reason)
            }
        }
    }

    /// Takes the tokens of a login, and saves them. Requests that wait get them. Throws the error of the store.
    public func signIn(_ token: OAuthToken) async throws { try await replace(with: token) }

    /// Removes the tokens. Requests that wait end with an error. Throws the error of the store.
    public func signOut() async throws { try await replace(with: nil) }

    private func replace(with token: OAuthToken?) async throws {
        let store = store
        // A renewal that is on its way would save its tokens afterwards.
        try await turns.next { try await store.withLock { try await store.save(token) } }
        tokens.update(nil)
    }
}

extension OAuthSession: Authenticator {
    /// Adds the access token, which is renewed first if it has expired. Throws ``OAuthError``, the error of the request
    /// for a token or of the store, or `CancellationError`.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !tokens.isRenewedByThisTask else { return }
        guard let token = try await tokens.current() else { throw OAuthError(.signInRequired) }
        request.headers[.authorization] = "Bearer \(token.accessToken)"
    }

    /// Renews the tokens after a 401, if that has not happened since the request was sent. Returns whether there is
    /// another access token. Throws like ``authenticate(_:)``.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !tokens.isRenewedByThisTask, let sent = request.headers[.authorization], let current = tokens.value else {
            return false
        }
        guard sent == "Bearer \(current.accessToken)" else { return true }
        return try await tokens.renewed(refused: current).map { $0.accessToken != current.accessToken } ?? false
    }
}

extension OAuthToken {
    /// Whether the access token is valid at a time, and for a while after it.
    fileprivate func isValid(at date: Date) -> Bool { expiration.map { $0.timeIntervalSince(date) > 5 } ?? true }
}

/// Lets one closure run at a time, in the order of the calls.
private final class Turns: Sendable {
    private let last = Lock(Task<Void, Never>?.none)

    func next<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = last.withLock { last in
            let before = last
            let task = Task {
                await before?.value
                return try await body()
            }
            last = Task { _ = try? await task.value }
            return task
        }
        return try await task.value
    }
}
