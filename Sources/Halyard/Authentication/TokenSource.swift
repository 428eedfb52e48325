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
    private typealias Waiter = @Sendable (Result<String, any Error>) -> Void

    private struct State: Sendable {
        var token: String?
        var isRenewing = false
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0
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
    public var token: String? {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }

    private var isBypassed: Bool { Self.renewing.contains(ObjectIdentifier(self)) }
}

extension TokenSource: Authenticator {
    /// Adds the token; has it made first where there is none.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !isBypassed else { return }
        let token = if let token { token } else { try await renewed(refused: nil) }
        request.headers[.authorization] = "Bearer \(token)"
    }

    /// Has the token renewed, unless it was while the request was on its way.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        guard !isBypassed, let sent = request.headers[.authorization], sent.hasPrefix("Bearer ") else { return false }
        _ = try await renewed(refused: String(sent.dropFirst("Bearer ".count)))
        return true
    }

    /// A token other than the one that was refused.
    private func renewed(refused: String?) async throws -> String {
        let answer = Answer<Result<String, any Error>>()
        let seat = Lock<UInt64?>(nil)
        return try await withTaskCancellationHandler {
            let (current, id, starts) = wait(for: refused) { answer.give($0) }
            if let current { return current }
            seat.withLock { $0 = id }
            if Task.isCancelled { leave(id) }
            if starts { start(refused) }
            return try await answer.take().get()
        } onCancel: {
            if let id = seat.withLock({ $0 }) { leave(id) }
        }
    }

    /// Takes a place among those that wait, unless there is another token already.
    private func wait(
        for refused: String?, _ waiter: @escaping Waiter
    ) -> (current: String?, id: UInt64, starts: Bool) {
        state.withLock { state in
            if let token = state.token, token != refused, !state.isRenewing { return (token, 0, false) }
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            defer { state.isRenewing = true }
            return (nil, state.lastID, !state.isRenewing)
        }
    }

    private func leave(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?(.failure(CancellationError()))
    }

    /// Renews it in a task of its own, which nobody's being cancelled ends.
    private func start(_ refused: String?) {
        let renewing = Self.renewing.union([ObjectIdentifier(self)])
        Task {
            let result: Result<String, any Error>
            do {
                result = .success(try await Self.$renewing.withValue(renewing) { try await renew(refused) })
            } catch { result = .failure(error) }
            let waiters = state.withLock { state in
                if case .success(let token) = result { state.token = token }
                state.isRenewing = false
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter(result) }
        }
    }
}
