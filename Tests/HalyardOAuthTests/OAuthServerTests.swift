import Foundation
import HalyardHTTP
@testable import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// What an authorization server says about itself (RFC 8414, OpenID Connect Discovery).
@Suite(.timeLimit(.minutes(3)))
struct OAuthServerTests {
    private static let standard = "/.well-known/oauth-authorization-server"

    private func document(_ issuer: String, _ more: String = "") -> StubResponse {
        .json(
            text: """
                {"issuer":"\(issuer)","token_endpoint":"https://login.example.com/token"\(more)}
                """)
    }

    @Test("its document has every endpoint, at the place of the issuer's path", arguments: ["", "/tenant", "/a/b/"])
    func standard(path: String) async throws {
        let server = try LoopbackServer()
        let issuer = try #require(URL(string: server.baseURL.absoluteString + path))
        let place = Self.standard + (path.hasSuffix("/") ? String(path.dropLast()) : path)
        let more = """
            ,"authorization_endpoint":"https://login.example.com/authorize?tenant=1",
             "device_authorization_endpoint":"https://login.example.com/device",
             "revocation_endpoint":"https://login.example.com/revoke",
             "authorization_response_iss_parameter_supported":true,"scopes_supported":["openid"]
            """
        server.on(.get, place, document(issuer.absoluteString, more))
        let found = try await OAuthServer.discover(issuer)
        #expect(server.requests.map(\.target) == [place])
        #expect(found.issuer == issuer && found.tokenURL.absoluteString == "https://login.example.com/token")
        #expect(found.authorizationURL?.absoluteString == "https://login.example.com/authorize?tenant=1")
        #expect(found.deviceURL?.path == "/device" && found.revocationURL?.path == "/revoke")
        #expect(found.sendsIssuer && found.metadata["scopes_supported"][0].string == "openid")
    }

    @Test("a server of OpenID Connect has its document elsewhere", arguments: ["", "/tenant"])
    func openID(path: String) async throws {
        let server = try LoopbackServer()
        let issuer = try #require(URL(string: server.baseURL.absoluteString + path))
        // A page for people.
        server.on(.get, Self.standard + path, path.isEmpty ? .status(404) : .text("<p>Welcome"))
        server.on(.get, path + "/.well-known/openid-configuration", document(issuer.absoluteString))
        let found = try await OAuthServer.discover(issuer)
        #expect(found.issuer == issuer && found.deviceURL == nil && !found.sendsIssuer)
    }

    @Test("a document of another issuer is an error", arguments: ["https://evil.example.com", "/"])
    func foreign(other: String) async throws {
        let server = try LoopbackServer()
        let name = other == "/" ? server.baseURL.absoluteString + "/" : other
        server.on(.get, Self.standard, document(name))
        let error = await #expect(throws: OAuthError.self) { try await OAuthServer.discover(server.baseURL) }
        #expect(error?.code == .wrongIssuer && error?.description.contains(name) == true)
        #expect(server.requests.count == 2)
    }

    @Test("an issuer for several tenants, whose document has a template, is an error that says what to do")
    func template() async throws {
        let server = try LoopbackServer()
        let base = server.baseURL.absoluteString
        // So does Microsoft's document at /common/v2.0.
        server.on(.get, "/common/v2.0/.well-known/openid-configuration", document(base + "/{tenantid}/v2.0"))
        let issuer = try #require(URL(string: base + "/common/v2.0"))
        let error = await #expect(throws: OAuthError.self) { try await OAuthServer.discover(issuer) }
        let text = error?.description ?? ""
        #expect(error?.code == .wrongIssuer && text.contains(base + "/{tenantid}/v2.0"))
        #expect(text.contains("the issuer of one tenant") && text.contains("the `OAuthServer` from the URLs"))
        server.on(.get, Self.standard + "/7/v2.0", document(base + "/8/v2.0"))
        let tenant = try #require(URL(string: base + "/7/v2.0"))
        let other = await #expect(throws: OAuthError.self) { try await OAuthServer.discover(tenant) }
        #expect(other?.code == .wrongIssuer && other?.description.contains("tenant,") == false)
    }

    @Test("a redirect to another server is not followed, so that no secret gets there", arguments: [302, 307])
    func redirects(status: Int) async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        for path in ["/token", "/device", "/revoke"] {
            server.on(.post, path, .status(status, headers: ["Location": other.baseURL.absoluteString + path]))
            for method in [HTTPMethod.get, .post] { other.on(method, path, .json(text: #"{"access_token":"a"}"#)) }
        }
        server.on(.get, Self.standard, .status(status, headers: ["Location": other.baseURL.absoluteString + "/x"]))
        other.on(.get, "/x", document(server.baseURL.absoluteString))
        let url = server.baseURL
        let endpoints = OAuthServer(
            tokenURL: url.appending(path: "token"), deviceURL: url.appending(path: "device"),
            revocationURL: url.appending(path: "revoke"))
        let client = OAuthClient(id: "app", server: endpoints)
        let session = OAuthSession(
            client, store: OAuthMemoryStore(OAuthToken(accessToken: "a", refreshToken: "r")))
        await #expect(throws: HTTPError(.status(status))) { try await client.deviceLogin { _ in } }
        await #expect(throws: HTTPError(.status(status))) { try await session.signOut() }
        await #expect(throws: HTTPError(.status(status))) { try await client.token(["grant_type": "x"]) }
        await #expect(throws: HTTPError(.status(status))) { try await OAuthServer.discover(url) }
        #expect(other.requests.isEmpty && server.requests.count == 5)
    }

    @Test("an insecure URL, an ambiguous one and documents without use are errors")
    func unusable() async throws {
        let server = try LoopbackServer()
        func kind(_ text: String) async throws -> HTTPError.Kind? {
            let url = try #require(URL(string: text))
            return await failure { _ = try await OAuthServer.discover(url) }?.kind
        }
        #expect(try await kind("http://login.example.com") == .insecureCredentials("http://login.example.com"))
        let base = server.baseURL.absoluteString
        for text in [base + "?a=b", base + "/x#y"] {
            guard case .invalidURL = try await kind(text) else { return #expect(Bool(false), "\(text)") }
        }
        #expect(try await kind(base) == .status(404))
        server.on(.get, Self.standard + "/a", .json(text: #"{"issuer":"\#(base)/a"}"#))
        #expect(try await kind(base + "/a") == .decoding)
        server.on(
            .get, Self.standard + "/b",
            document(base + "/b", #","revocation_endpoint":"http://login.example.com/revoke""#))
        #expect(try await kind(base + "/b") == .insecureCredentials("http://login.example.com"))
        server.on(.get, "/c/.well-known/openid-configuration", .text("<p>Welcome"))
        #expect(try await kind(base + "/c") == .decoding)
    }
}
