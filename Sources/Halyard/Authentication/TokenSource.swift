public import HalyardHTTP

/// A bearer token (RFC 6750) that is renewed when the API refuses it. One object for all requests of an API: keep it.
///
/// ```swift
/// let tokens = TokenSource(stored) { old in
///     try await api.request(.renew(old)).object(Session.self).token
/// }
/// ```
///
/// However many requests are refused, it is renewed once, and all wait for that; it goes on when they are cancelled.
/// When it fails, all that wait fail with its error, and the next request tries anew. Requests made while renewing, by the
/// closure itself, carry no token and wait for none. A token that is refused right after it was renewed is not renewed again:
/// that request ends with its 401.
public final class TokenSource: Sendable {
    /// Is given the token; nil after a logout.
    private typealias Waiter = @Sendable (Result<String?, any Error>) -> Void

    private struct State: Sendable {
        var token: String?
        /// Another one after each login and logout: what a renewal gives that began before is of no use.
        var generation: UInt64 = 0
        var isRenewing = false
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0

        /// Returns those that wait.
        mutating func endRenewal() -> [Waiter] {
            isRenewing = false
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    /// The sources that are being renewed by the task that runs.
    @TaskLocal private static var renewing: Set<ObjectIdentifier> = []

    private let state: Lock<State>
    private let renew: @Sendable (String?) async throws -> String

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - token: the one there is; without one the first request has it renewed.
    ///   - renew: gets a new one, given the one that was refused.
    public init(_ token: String? = nil, renew: @escaping @Sendable (_ refused: String?) async throws -> String) {
        state = Lock(State(token: token))
        self.renew = renew
    }

    /// The token, where there is one. Set it after a login; `nil` after a logout.
    ///
    /// Setting it ends a renewal that is under way: its result is not used. Requests that wait for it get the new token;
    /// after a logout they end with their 401, or with ``HTTPError`` of kind `cancelled` where they were not sent yet. What
    /// the renewing closure sets itself ends nothing.
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
            for waiter in waiters { waiter(.success(newValue)) }
        }
    }

    private var isBypassed: Bool { Self.renewing.contains(ObjectIdentifier(self)) }
}

extension TokenSource: Authenticator {
    /// Adds the token; has it made first where there is none.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !isBypassed else { return }
        guard let token = if let token { token } else { try await renewed(refused: nil) } else {
            throw HTTPError(.cancelled, reason: "the token was removed while a new one was made", request: request)
        }
        request.headers[.authorization] = "Bearer \(token)"
    }

    /// Has the token renewed, unless it was while the request was on its way.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !isBypassed, let sent = request.headers[.authorization], sent.hasPrefix("Bearer ") else { return false }
        return try await renewed(refused: String(sent.dropFirst("Bearer ".count))) != nil
    }

    /// A token other than the one that was refused; nil after a logout.
    private func renewed(refused: String?) async throws -> String? {
        let answer = OneShot<Result<String?, any Error>>()
        let seat = Lock<UInt64?>(nil)
        return try await withTaskCancellationHandler {
            let (current, id, renewal) = wait(for: refused) { answer.fulfill($0) }
            if let current { return current }
            seat.withLock { $0 = id }
            if Task.isCancelled { leave(id) }
            if let renewal { start(refused, renewal) }
            return try await answer.take().get()
        } onCancel: {
            if let id = seat.withLock({ $0 }) { leave(id) }
        }
    }

    /// Takes a place among those that wait, unless there is another token already.
    private func wait(
        for refused: String?, _ waiter: @escaping Waiter
    ) -> (current: String?, id: UInt64, renewal: UInt64?) {
        state.withLock { state in
            if let token = state.token, token != refused, !state.isRenewing { return (token, 0, nil) }
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            defer { state.isRenewing = true }
            return (nil, state.lastID, state.isRenewing ? nil : state.generation)
        }
    }

    private func leave(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?(.failure(CancellationError()))
    }

    /// Renews it in a task of its own, which nobody's being cancelled ends.
    ///
    /// - Parameter generation: the one that the new token is for.
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
            for waiter in waiters { waiter(result) }
        }
    }
}
