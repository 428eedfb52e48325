import Halyard
import HalyardFoundation
import HalyardHTTP

/// Gets the tokens of a session from its store, or else from the server. The caller runs one function at a time.
struct OAuthRenewal: Sendable {
    let client: OAuthClient
    let store: any OAuthTokenStore
    /// Returns the tokens of a new login.
    let signIn: @Sendable () async throws -> OAuthToken

    /// Tokens that could not be saved, and those that they follow. The server may accept no others.
    private let unsaved = Lock<(stored: OAuthToken?, token: OAuthToken)?>(nil)

    init(client: OAuthClient, store: any OAuthTokenStore, signIn: @escaping @Sendable () async throws -> OAuthToken) {
        (self.client, self.store, self.signIn) = (client, store, signIn)
    }

    /// Returns valid tokens with another access token than the refused ones.
    func token(refused: OAuthToken?) async throws -> OAuthToken {
        try await store.withLock {
            let stored = try await store.load()
            let pending = unsaved.withLock { $0 }
            let current = if let pending, pending.stored == stored { Optional(pending.token) } else { stored }
            // Another process may have renewed them.
            guard let current, current.accessToken != refused?.accessToken, current.isValid(at: client.time.date())
            else {
                return try await renewed(current, stored)
            }
            return current == stored ? current : try await save(current, after: stored)
        }
    }

    private func renewed(_ current: OAuthToken?, _ stored: OAuthToken?) async throws -> OAuthToken {
        guard let current, let refreshToken = current.refreshToken else {
            return try await save(try await signIn(), after: stored)
        }
        do {
            var token = try await client.token(["grant_type": "refresh_token", "refresh_token": refreshToken])
            // A server that keeps the refresh token need not send it again (section 6).
            token.refreshToken = token.refreshToken ?? refreshToken
            token.scopes = token.scopes ?? current.scopes
            token.idToken = token.idToken ?? current.idToken
            return try await save(token, after: stored)
        } catch let error as OAuthError where error.code == .invalidGrant {
            // A process that does not share the lock may have used the refresh token first.
            if let other = try? await store.load(), other != stored {
                unsaved.withLock { $0 = nil }
                return other.isValid(at: client.time.date()) ? other : try await renewed(other, other)
            }
            // If they cannot be removed, the server refuses them again.
            unsaved.withLock { $0 = nil }
            try? await store.save(nil)
            do { return try await save(try await signIn(), after: nil) } catch let needed as OAuthError
                where needed.code == .signInRequired
            {
                throw OAuthError(.signInRequired, reason: error.reason)
            }
        }
    }

    private func save(_ token: OAuthToken, after stored: OAuthToken?) async throws -> OAuthToken {
        unsaved.withLock { $0 = (stored, token) }
        try await store.save(token)
        unsaved.withLock { $0 = nil }
        return token
    }

    /// Saves the tokens of a new login.
    func replace(with token: OAuthToken) async throws {
        try await store.withLock { try await store.save(token) }
        unsaved.withLock { $0 = nil }
    }

    /// Removes the tokens. Returns the last ones, and the error of the store if that has failed.
    func remove() async -> (token: OAuthToken?, failure: (any Error)?) {
        let pending = unsaved.withLock { $0.take()?.token }
        do {
            return try await store.withLock {
                // Tokens that cannot be read are removed as well.
                let stored = try? await store.load()
                do { try await store.save(nil) } catch { return (pending ?? stored, error) }
                return (pending ?? stored, nil)
            }
        } catch { return (pending, error) }
    }
}

/// Lets one closure run at a time, in the order of the calls. Cancelling a caller does not cancel its closure.
final class Turns: Sendable {
    private let last = Lock(Task<Void, Never>?.none)

    /// Runs a closure after those before it.
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
