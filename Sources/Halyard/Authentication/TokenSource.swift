public import HalyardHTTP

/// A bearer token (RFC 6750) that renews itself. All requests of an API share one source, so keep it.
///
/// ```swift
/// let tokens = TokenSource(stored) { old in
///     try await api.request(.renew(old)).object(Session.self).token
/// }
/// ```
///
/// When the API rejects the token, the source renews it once, for any number of rejected requests, which wait for the
/// result. Cancelling them does not stop the renewal. If it fails, every waiting request fails with its error, and the
/// next request tries again. Requests that the closure sends carry no token and do not wait for one. A token that is
/// rejected right after its renewal is not renewed again: the request ends with its 401.
///
/// If the closure returns an ``AccessToken``, the source knows when the token expires, and renews it before that
/// without making a request wait:
///
/// ```swift
/// let tokens = TokenSource { _ in
///     let session: Session = try await api.request(.signIn).object()
///     return AccessToken(session.token, expiresIn: .seconds(session.expiresIn))
/// }
/// ```
public final class TokenSource: Sendable {
    private let tokens: Renewable<String>

    /// Makes a source. Without a token, the first request renews it. `renew` receives the rejected token and returns a
    /// new one. If it throws, all waiting requests fail with that error.
    public convenience init(
        _ token: String? = nil, renew: @escaping @Sendable (_ refused: String?) async throws -> String
    ) {
        self.init(token.map { AccessToken($0) }) { AccessToken(try await renew($0)) }
    }

    /// Makes a source of tokens that expire.
    ///
    /// From `leeway` before the end of a token on, the next request starts a renewal. All requests use the old token
    /// until it expires, and then wait for the renewal. If an early renewal fails, the old token is used to its end.
    ///
    /// - Parameters:
    ///   - leeway: How long before its end a token is renewed: at most half of its lifetime. Defaults to 30 seconds.
    ///   - clock: Measures the lifetime of tokens; a test passes its own.
    ///   - renew: Receives the rejected or expired token, and returns a new one.
    public init(
        _ token: AccessToken? = nil, leeway: Duration = .seconds(30), clock: some Clock<Duration> = ContinuousClock(),
        renew: @escaping @Sendable (_ refused: String?) async throws -> AccessToken
    ) {
        tokens = Renewable(token?.renewed, leeway: leeway, now: PipelineTime(clock).now) { try await renew($0).renewed }
    }

    /// The token. Set it after a login, and to `nil` after a logout. Use ``update(_:)`` for a token that expires.
    ///
    /// Setting it cancels any renewal in progress. Waiting requests get the new token. After a logout they end with
    /// their 401, or with ``HTTPError`` of kind `cancelled` if they were not sent yet. Setting it inside the renewing
    /// closure does not cancel the renewal.
    public var token: String? {
        get { tokens.value }
        set { update(newValue.map { AccessToken($0) }) }
    }

    /// Sets the token after a login, like ``token``, with the time at which it expires.
    public func update(_ token: AccessToken?) { tokens.update(token?.renewed) }
}

extension TokenSource: Authenticator {
    /// Adds the token to a request. If there is no token, or it has expired, it is renewed first. Throws the error of the
    /// renewal, or `CancellationError`.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !tokens.isRenewedByThisTask else { return }
        guard let token = try await tokens.current() else {
            throw HTTPError(.cancelled, reason: "the token was removed during its renewal", request: request)
        }
        request.headers[.authorization] = "Bearer \(token)"
    }

    /// Renews the token after a 401, if it has not been renewed since the request was sent. Returns whether there is a
    /// new token. Throws the error of the renewal, or `CancellationError`.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !tokens.isRenewedByThisTask, let sent = request.headers[.authorization], sent.hasPrefix("Bearer ") else {
            return false
        }
        return try await tokens.renewed(refused: String(sent.dropFirst("Bearer ".count))) != nil
    }
}

/// A bearer token and its lifetime, for a ``TokenSource``.
public struct AccessToken: Sendable {
    let value: String
    let lifetime: Duration?

    /// Makes a token. Its lifetime, which is the `expires_in` of OAuth 2 (RFC 6749 section 5.1), begins when the source
    /// receives it. `nil` if it is not known: the token is then renewed when the API rejects it.
    public init(_ value: String, expiresIn lifetime: Duration? = nil) {
        (self.value, self.lifetime) = (value, lifetime)
    }

    fileprivate var renewed: Renewable<String>.Renewed { (value, lifetime) }
}

extension AccessToken: SafelyDescribed {
    /// A fixed text. The token is not shown.
    public var description: String { "an access token" }
}
