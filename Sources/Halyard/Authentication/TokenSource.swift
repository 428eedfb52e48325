public import HalyardHTTP

/// A bearer token (RFC 6750) that is renewed when the API rejects it. All requests of an API share one source: keep it.
///
/// ```swift
/// let tokens = TokenSource(stored) { old in
///     try await api.request(.renew(old)).object(Session.self).token
/// }
/// ```
///
/// The token is renewed once, for any number of rejected requests, which wait for it. The renewal continues when they
/// are cancelled. If it fails, all waiting requests fail with its error, and the next request tries again. Requests
/// that the closure sends have no token and do not wait for one. If a token is rejected right after its renewal, it is
/// not renewed again, and the request ends with its 401.
public final class TokenSource: Sendable {
    /// Receives the token, or `nil` after a logout.
    private typealias Waiter = CancellableWaiter<String?>

    private struct State: Sendable {
        var token: String?
        /// A number that changes with each login and logout. The result of a renewal that began before is dropped.
        var generation: UInt64 = 0
        var isRenewing = false
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0

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
    private let renew: @Sendable (String?) async throws -> String

    /// Makes a source. Without a token, the first request renews it. `renew` receives the rejected token and returns a
    /// new one. Its error is the error of all waiting requests.
    public init(_ token: String? = nil, renew: @escaping @Sendable (_ refused: String?) async throws -> String) {
        state = Lock(State(token: token))
        self.renew = renew
    }

    /// The token. Set it after a login, and to `nil` after a logout.
    ///
    /// Setting it ends a renewal: its result is dropped. Waiting requests get the new token. After a logout they end
    /// with their 401, or with ``HTTPError`` of kind `cancelled` if they were not sent yet. Setting it inside the
    /// renewing closure does not end the renewal.
    public var token: String? {
        get { state.withLock { $0.token } }
        set {
            let isOfRenewal = isBypassed
            let waiters = state.withLock { state -> [Waiter] in
                state.token = newValue
                if isOfRenewal { return [] }
                state.generation += 1
                return state.endRenewal()
            }
            for waiter in waiters { waiter.end(with: .success(newValue)) }
        }
    }

    private var isBypassed: Bool { Self.renewing.contains(ObjectIdentifier(self)) }
}

extension TokenSource: Authenticator {
    /// Adds the token to a request. If there is no token, it is renewed first. Throws the error of the renewal, or
    /// `CancellationError`.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !isBypassed else { return }
        guard let token = if let token { token } else { try await renewed(refused: nil) } else {
            throw HTTPError(.cancelled, reason: "the token was removed during its renewal", request: request)
        }
        request.headers[.authorization] = "Bearer \(token)"
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
            let result: Result<String?, any Error>
            do {
                result = .success(try await Self.$renewing.withValue(renewing) { try await renew(refused) })
            } catch { result = .failure(error) }
            let waiters = state.withLock { state -> [Waiter] in
                guard state.generation == generation else { return [] }
                if case .success(let token) = result { state.token = token }
                return state.endRenewal()
            }
            for waiter in waiters { waiter.end(with: result) }
        }
    }
}
