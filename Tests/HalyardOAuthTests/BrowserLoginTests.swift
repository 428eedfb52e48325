import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Logins with a browser that the program presents (RFC 6749 section 4.1, RFC 7636, RFC 9207).
@Suite(.timeLimit(.minutes(3)))
struct BrowserLoginTests {
    private static let redirect = "com.example.app:/callback?a=b"

    private func client(_ server: LoopbackServer, sendsIssuer: Bool = false) throws -> OAuthClient {
        server.on(.post, "/token", .json(text: #"{"access_token":"a1"}"#))
        return OAuthClient(
            id: "my app",
            server: OAuthServer(
                issuer: server.baseURL, tokenURL: server.baseURL.appending(path: "token"),
                authorizationURL: URL(string: server.baseURL.absoluteString + "/authorize?tenant=1"),
                sendsIssuer: sendsIssuer))
    }

    private func query(_ url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, second in first + "," + second }
    }

    /// Signs in with the answer of a server, in which STATE and ISSUER mean those of the login.
    private func login(_ client: OAuthClient, answer: String, issuer: URL? = nil) async throws -> OAuthToken {
        let redirect = try #require(URL(string: Self.redirect))
        return try await client.login(redirectURL: redirect) { url in
            let state = query(url)["state"] ?? ""
            let text = answer.replacing("STATE", with: state).replacing("ISSUER", with: issuer?.absoluteString ?? "")
            return try #require(URL(string: text))
        }
    }

    @Test("the URL has a challenge whose verifier goes with the code, and the parameters of its endpoint")
    func success() async throws {
        let server = try LoopbackServer()
        let client = try client(server)
        let redirect = try #require(URL(string: Self.redirect))
        var states: [String] = []
        for _ in 0..<2 {
            let urls = Log<URL>()
            let token = try await client.login(
                redirectURL: redirect, scopes: ["openid", "a b"], parameters: ["prompt": "login", "state": "mine"]
            ) { url in
                urls.add(url)
                return try #require(URL(string: "\(Self.redirect)&code=c%2Bd+e&state=\(query(url)["state"] ?? "")#_=_"))
            }
            #expect(token.accessToken == "a1")
            var fields = query(try #require(urls.entries.first))
            let (state, challenge) = (fields.removeValue(forKey: "state"), fields.removeValue(forKey: "code_challenge"))
            #expect(
                fields == [
                    "tenant": "1", "prompt": "login", "scope": "openid a b", "response_type": "code",
                    "client_id": "my app", "redirect_uri": Self.redirect, "code_challenge_method": "S256",
                ])
            var form = try #require(server.requests.last).form
            let verifier = form.removeValue(forKey: "code_verifier") ?? ""
            #expect(
                form == [
                    "grant_type": "authorization_code", "code": "c+d e", "redirect_uri": Self.redirect,
                    "client_id": "my app",
                ])
            let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            #expect(verifier.count == 43 && verifier.allSatisfy(characters.contains))
            let digest = SHA256Digest.hash(Data(verifier.utf8)).base64EncodedString()
            #expect(challenge == digest.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
            states += [state ?? "", verifier]
        }
        // 128 bits are 22 characters.
        #expect(Set(states).count == 4 && states.allSatisfy { $0.count >= 22 })
    }

    @Test(
        "an answer that is not that of the login is an error, and no code is sent",
        arguments: [
            ("com.example.app:/callback?code=c", OAuthError.Code.stateMismatch),
            ("com.example.app:/callback?code=c&state=", .stateMismatch),
            ("com.example.app:/callback?code=c&state=STATEx", .stateMismatch),
            ("com.example.app:/callback?code=c&state=STATE&state=STATE", .stateMismatch),
            ("com.example.app:/callback?code=c&state=STATE&%63ode=d", .stateMismatch),
            ("com.example.app:/callback#code=c&state=STATE", .stateMismatch),
            ("com.example.app:/callback?error=access_denied", .stateMismatch),
            ("com.example.app:/callback?state=STATE", .invalidRequest),
            ("com.example.app:/callback?state=STATE&code=", .invalidRequest),
            ("com.example.app:/callback?state=STATE&error=access_denied&code=c", .accessDenied),
            ("com.example.app:/callback?state=STATE&error=server_error", .serverError),
            ("com.example.app:/callback?state=STATE&error=odd%0Aword", .other("odd word")),
            ("com.example.app:/callback?state=STATE&code=c&iss=https://evil.example.com", .wrongIssuer),
            ("com.example.app:/callback?state=STATE&error=access_denied&iss=", .wrongIssuer),
        ])
    func forged(answer: String, code: OAuthError.Code) async throws {
        let server = try LoopbackServer()
        let client = try client(server)
        let error = await #expect(throws: OAuthError.self) { try await login(client, answer: answer) }
        #expect(error?.code == code)
        #expect(server.requests.isEmpty)
    }

    @Test("a server that always names itself must do so, and its name must be the right one")
    func issuer() async throws {
        let server = try LoopbackServer()
        let strict = try client(server, sendsIssuer: true)
        let error = await #expect(throws: OAuthError.self) { try await login(strict, answer: "a:/?state=STATE&code=c") }
        #expect(error?.code == .wrongIssuer && server.requests.isEmpty)
        // An error without the name says why the login has ended.
        let denied = await #expect(throws: OAuthError.self) {
            try await login(strict, answer: "a:/?state=STATE&error=access_denied")
        }
        #expect(denied?.code == .accessDenied)
        for client in [strict, try client(server)] {
            let token = try await login(client, answer: "a:/?iss=ISSUER&state=STATE&code=c", issuer: server.baseURL)
            #expect(token.accessToken == "a1")
        }
    }

    @Test("neither an endpoint over plain http nor a missing one is shown to the user")
    func unusable() async throws {
        let url = try #require(URL(string: "http://login.example.com/token"))
        for (endpoint, isMissing) in [(URL?.none, true), (url, false)] {
            let client = OAuthClient(id: "app", server: OAuthServer(tokenURL: url, authorizationURL: endpoint))
            do {
                _ = try await client.login(redirectURL: url) { _ in
                    Issue.record("The URL was shown")
                    return url
                }
            } catch {
                let missing = OAuthError.Code.missingEndpoint("authorization_endpoint")
                #expect((error as? OAuthError)?.code == (isMissing ? missing : nil))
                #expect(
                    (error as? HTTPError)?.kind == (isMissing ? nil : .insecureCredentials("http://login.example.com")))
            }
        }
    }

    @Test("an error of the presentation, and a refusal of the code, end the login")
    func failures() async throws {
        struct Closed: Error {}
        let server = try LoopbackServer()
        let client = try client(server)
        let redirect = try #require(URL(string: Self.redirect))
        await #expect(throws: Closed.self) { try await client.login(redirectURL: redirect) { _ in throw Closed() } }
        server.on(.post, "/token", .json(text: #"{"error":"invalid_grant"}"#, status: 400))
        let error = await #expect(throws: OAuthError.self) { try await login(client, answer: "a:/?state=STATE&code=c") }
        #expect(error?.code == .invalidGrant)
    }
}
