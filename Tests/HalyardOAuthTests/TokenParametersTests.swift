import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// The parameters of a client, which go with every request for tokens (RFC 8707, and the words of vendors).
@Suite(.timeLimit(.minutes(3)))
struct TokenParametersTests {
    private let server: LoopbackServer
    private var client: OAuthClient

    init() throws {
        server = try LoopbackServer()
        server.on(.post, "/token", .json(text: #"{"access_token":"a1","refresh_token":"r1"}"#))
        server.on(
            .post, "/device",
            .json(text: #"{"device_code":"d","user_code":"u","verification_uri":"https://example.com","interval":1}"#))
        server.on(.post, "/revoke", .status(200)).on(.get, "/data", .text("data"))
        var parameters: Parameters = ["audience": "music", "grant_type": "other", "client_id": "other"]
        parameters.append("https://a.example.com", for: "resource")
        parameters.append("https://b.example.com", for: "resource")
        let url = server.baseURL
        client = OAuthClient(
            id: "app",
            server: OAuthServer(
                tokenURL: url.appending(path: "token"), authorizationURL: url.appending(path: "authorize"),
                deviceURL: url.appending(path: "device"), revocationURL: url.appending(path: "revoke")),
            parameters: parameters, clock: HastyClock())
    }

    /// The pairs of a form or a query without the secrets of a login.
    private func pairs(_ text: String) -> [String] {
        let items = URLComponents(string: "?" + text.replacing("+", with: "%20"))?.queryItems ?? []
        let random = ["state", "code_challenge", "code_verifier"]
        return items.filter { !random.contains($0.name) }.map { "\($0.name)=\($0.value ?? "")" }.sorted()
    }

    /// The parameters of the client in the requests to a path, and those of the flow.
    private func expect(_ path: String, _ own: [String], line: SourceLocation = #_sourceLocation) throws {
        let extra = ["audience=music", "resource=https://a.example.com", "resource=https://b.example.com"]
        let request = try #require(server.requests.last { $0.path == path }, sourceLocation: line)
        #expect(pairs(request.text) == (own + extra + ["client_id=app"]).sorted(), sourceLocation: line)
    }

    @Test("they go with client credentials and a refresh, and not with a revocation")
    func session() async throws {
        let service = OAuthSession(clientCredentials: client, scopes: ["read"])
        _ = try await DataAPI(baseURL: server.baseURL, authentication: .oauth(service)).data()
        try expect("/token", ["grant_type=client_credentials", "scope=read"])
        let user = OAuthSession(client)
        try await user.signIn(OAuthToken(accessToken: "a0", expiration: .distantPast, refreshToken: "r0"))
        _ = try await DataAPI(baseURL: server.baseURL, authentication: .oauth(user)).data()
        try expect("/token", ["grant_type=refresh_token", "refresh_token=r0"])
        try await user.signOut()
        let revocation = try #require(server.requests.last)
        #expect(pairs(revocation.text) == ["client_id=app", "token=r1", "token_type_hint=refresh_token"])
    }

    @Test("they go with both requests of a device")
    func device() async throws {
        _ = try await client.deviceLogin(scopes: ["read"]) { _ in }
        let first = try #require(server.requests.first)
        #expect(first.path == "/device" && pairs(first.text).contains("scope=read"))
        #expect(pairs(first.text).filter { $0.hasPrefix("resource") || $0.hasPrefix("audience") }.count == 3)
        try expect("/token", ["grant_type=urn:ietf:params:oauth:grant-type:device_code", "device_code=d"])
    }

    @Test("they go with the URL of a login and its code; those of the login replace them in the URL")
    func browser() async throws {
        let redirect = try #require(URL(string: "app:/callback"))
        let urls = Log<URL>()
        _ = try await client.login(redirectURL: redirect, parameters: ["audience": "films", "prompt": "login"]) { url in
            urls.add(url)
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let state = items.first { $0.name == "state" }?.value ?? ""
            return try #require(URL(string: "app:/callback?code=c&state=\(state)"))
        }
        let query = pairs(try #require(urls.entries.first?.query()))
        #expect(query.contains("audience=films") && query.contains("prompt=login") && query.contains("client_id=app"))
        #expect(query.filter { $0.hasPrefix("resource=") }.count == 2 && !query.contains("audience=music"))
        try expect("/token", ["grant_type=authorization_code", "code=c", "redirect_uri=app:/callback"])
    }
}

/// A clock with which all waits end at once.
struct HastyClock: Clock {
    let minimumResolution = Duration.zero
    var now: ContinuousClock.Instant { .now }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
