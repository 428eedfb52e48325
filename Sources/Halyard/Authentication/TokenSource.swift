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
    /// Receives the token, or `nil` after a logout.
    private typealias Waiter = CancellableWaiter<String?>

    private struct State: Sendable {
        var token: String?
        /// When the token expires, and from when on it is renewed. `nil` if that is not known.
        var end: (expiry: Duration, renewal: Duration)?
        /// A number that changes with each login and logout. The result of a renewal that began before is dropped.
        var generation: UInt64 = 0
        var isRenewing = false
        /// Whether an early renewal has failed. The next one begins when the token has expired.
        var hasFailedEarly = false
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0

        mutating func set(_ token: AccessToken?, _ leeway: Duration, now: Duration) {
            (self.token, hasFailedEarly) = (token?.value, false)
            end = token?.lifetime.map { (now + $0, now + $0 - min(leeway, $0 / 2)) }
        }

        /// Ends the renewal, and returns the waiting requests.
        mutating func endRenewal() -> [Waiter] {
            isRenewing = false
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    /// The sources that the current task renews.
    @TaskLocal private static var renewing: Set<ObjectIdentifier> = []

    private let state: Lock<State>
    private let renew: @Sendable (String?) async throws -> AccessToken
    private let leeway: Duration
    private let now: @Sendable () -> Duration

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
        (self.leeway, self.renew, now) = (leeway, renew, PipelineTime(clock).now)
        var state = State()
        state.set(token, leeway, now: now())
        self.state = Lock(state)
    }

    /// The token. Set it after a login, and to `nil` after a logout. Use ``update(_:)`` for a token that expires.
    ///
    /// Setting it cancels any renewal in progress. Waiting requests get the new token. After a logout they end with
    /// their 401, or with ``HTTPError`` of kind `cancelled` if they were not sent yet. Setting it inside the renewing
    /// closure does not cancel the renewal.
    public var token: String? {
        get { state.withLock { $0.token } }
        set { update(newValue.map { AccessToken($0) }) }
    }

    /// Sets the token after a login, like ``token``, with the time at which it expires.
    public func update(_ token: AccessToken?) {
        let (isOfRenewal, now) = (isBypassed, now())
        let waiters = state.withLock { state -> [Waiter] in
            state.set(token, leeway, now: now)
            if isOfRenewal { return [] }
            state.generation += 1
            return state.endRenewal()
        }
        for waiter in waiters { waiter.end(with: .success(token?.value)) }
    }

    private var isBypassed: Bool { Self.renewing.contains(ObjectIdentifier(self)) }
}

extension TokenSource: Authenticator {
    /// Adds the token to a request. If there is no token, or it has expired, it is renewed first. Throws the error of the
    /// renewal, or `CancellationError`.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !isBypassed else { return }
        let (current, expired) = valid()
        guard let token = if let current { current } else { try await renewed(refused: expired) } else {
            throw HTTPError(.cancelled, reason: "the token was removed during its renewal", request: request)
        }
        request.headers[.authorization] = "Bearer \(token)"
    }

    /// Returns the token, and starts a renewal if it expires soon. `nil` if there is none, or it has expired.
    private func valid() -> (current: String?, expired: String?) {
        let now = now()
        let (result, generation) = state.withLock { state -> ((String?, String?), UInt64?) in
            guard let token = state.token else { return ((nil, nil), nil) }
            guard let end = state.end, now >= end.renewal else { return ((token, nil), nil) }
            if now >= end.expiry { return ((nil, token), nil) }
            guard !state.isRenewing, !state.hasFailedEarly else { return ((token, nil), nil) }
            state.isRenewing = true
            return ((token, nil), state.generation)
        }
        if let generation { start(result.0, generation) }
        return result
    }

    /// Renews the token after a 401, if it has not been renewed since the request was sent. Returns whether there is a
    /// new token. Throws the error of the renewal, or `CancellationError`.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !isBypassed, let sent = request.headers[.authorization], sent.hasPrefix("Bearer ") else { return false }
        return try await renewed(refused: String(sent.dropFirst("Bearer ".count))) != nil
    }

    /// Returns a token other than the rejected one. `nil` after a logout.
    private func renewed(refused: String?) async throws -> String? {
        let waiter = Waiter()
        let (current, id, renewal) = add(waiter, refused: refused)
        if let current { return current }
        if let renewal { start(refused, renewal) }
        return try await waiter.value { state.withLock { $0.waiters[id] = nil } }
    }

    /// Adds a waiter, or returns a token that has replaced the rejected one.
    private func add(_ waiter: Waiter, refused: String?) -> (current: String?, id: UInt64, renewal: UInt64?) {
        state.withLock { state in
            if let token = state.token, token != refused, !state.isRenewing { return (token, 0, nil) }
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            defer { state.isRenewing = true }
            return (nil, state.lastID, state.isRenewing ? nil : state.generation)
        }
    }

    /// Starts the renewal in a task of its own, which the cancellation of a request does not end.
    private func start(_ refused: String?, _ generation: UInt64) {
        let renewing = Self.renewing.union([ObjectIdentifier(self)])
        Task {
            let result: Result<AccessToken, any Error>
            do {
                result = .success(try await Self.$renewing.withValue(renewing) { try await renew(refused) })
            } catch { result = .failure(error) }
            let now = now()
            let waiters = state.withLock { state -> [Waiter] in
                guard state.generation == generation else { return [] }
                switch result {
                case .success(let token): state.set(token, leeway, now: now)
                case .failure: state.hasFailedEarly = true
                }
                return state.endRenewal()
            }
            for waiter in waiters { waiter.end(with: result.map(\.value)) }
        }
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
}

extension AccessToken: SafelyDescribed {
    /// A fixed text. The token is not shown.
    public var description: String { "an access token" }
}
