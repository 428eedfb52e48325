import Foundation
import HalyardAsync
import HalyardOAuth

// The examples of the article on signing in, word for word. HalyardOAuthTests test what they call.

private enum SigningIn {
    struct MusicAPI: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com")!
        let authentication: Authentication
    }

    static func overview(_ file: URL) async throws -> MusicAPI {
        let server = try await OAuthServer.discover(
            URL(string: "https://login.example.com")!)
        let client = OAuthClient(id: "my-app", server: server)
        let session = OAuthSession(client, store: OAuthFileStore(file))
        let api = MusicAPI(authentication: .oauth(session))
        return api
    }

    static func service(_ server: OAuthServer, _ secret: String) -> OAuthSession {
        let service = OAuthClient(id: "my-service", proof: .basic(secret: secret), server: server)
        let session = OAuthSession(clientCredentials: service, scopes: ["tracks"])
        return session
    }

    static func tool(_ client: OAuthClient, _ session: OAuthSession) async throws {
        let token = try await client.browserLogin(scopes: ["tracks"]) { url in
            print("Open \(url)")
        }
        try await session.signIn(token)
    }

    static func device(_ client: OAuthClient, _ session: OAuthSession) async throws {
        let token = try await client.deviceLogin(scopes: ["tracks"]) { code in
            print("Open \(code.verificationURL) and type \(code.userCode)")
        }
        try await session.signIn(token)
    }

    static func app(
        _ client: OAuthClient, _ session: OAuthSession, show: @Sendable (URL) async throws -> URL
    ) async throws {
        let callback = URL(string: "com.example.app:/callback")!
        let token = try await client.login(redirectURL: callback) { url in
            try await show(url)
        }
        try await session.signIn(token)
    }

    static func end(_ api: MusicAPI, _ session: OAuthSession) async throws {
        do {
            try await api.request(Route(path: "/me")).void()
        } catch let error as OAuthError where error.code == .signInRequired {
            print("Sign in again")
        }
        try await session.signOut()
    }
}
