import Foundation
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Logins of programs without a browser (RFC 8628).
@Suite(.timeLimit(.minutes(3)))
struct DeviceLoginTests {
    private let clock = ManualClock()
    private static let code = """
        {"device_code":"dev","user_code":"ABCD","verification_uri":"https://example.com/device",
         "verification_uri_complete":"https://example.com/device?code=ABCD","expires_in":60,"interval":5}
        """

    private func client(_ server: LoopbackServer) -> OAuthClient {
        let url = server.baseURL
        let endpoints = OAuthServer(tokenURL: url.appending(path: "token"), deviceURL: url.appending(path: "device"))
        return OAuthClient(id: "app", server: endpoints, clock: clock)
    }

    /// Signs in, and lets each delay pass at once. Returns the delays.
    private func login(
        _ server: LoopbackServer, waiting delays: [Int]
    ) async throws -> OAuthToken {
        async let token = client(server).deviceLogin(scopes: ["read"]) { code in
            #expect(code.userCode == "ABCD" && code.verificationURL.path == "/device")
            #expect(code.completeURL?.query == "code=ABCD")
        }
        for delay in delays {
            try await clock.waitForSleepers()
            // One second less wakes nobody.
            clock.advance(by: .seconds(delay - 1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .seconds(1))
        }
        return try await token
    }

    @Test("it waits as long as the server says, until the user has confirmed")
    func confirmed() async throws {
        let server = try LoopbackServer().on(.post, "/device", .json(text: Self.code))
        server.on(
            .post, "/token", .json(text: #"{"error":"authorization_pending"}"#, status: 400),
            .json(text: #"{"error":"slow_down"}"#, status: 400), .status(503),
            .json(text: #"{"access_token":"a","expires_in":"60"}"#))
        let token = try await login(server, waiting: [5, 5, 10, 20])
        #expect(token.accessToken == "a" && token.refreshToken == nil && token.expiration != nil)
        #expect(server.requests.first?.form == ["client_id": "app", "scope": "read"])
        #expect(
            server.requests.last?.form == [
                "client_id": "app", "device_code": "dev", "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            ])
    }

    @Test("a server that is busy in any way is asked again, and less often")
    func busy() async throws {
        let server = try LoopbackServer().on(.post, "/device", .json(text: Self.code))
        server.on(
            .post, "/token", .status(429), .json(text: #"{"error":"temporarily_unavailable"}"#, status: 503),
            .json(text: #"{"access_token":"a"}"#))
        #expect(try await login(server, waiting: [5, 10, 20]).accessToken == "a")
    }

    @Test("an address that is no web page is an error")
    func otherAddress() async throws {
        let code = Self.code.replacing("https://example.com/device\"", with: "file:///etc/passwd\"")
        let server = try LoopbackServer().on(.post, "/device", .json(text: code))
        await #expect(throws: HTTPError(.decoding)) { try await client(server).deviceLogin { _ in } }
    }

    @Test("a refusal of the user and the end of the code are errors")
    func ended() async throws {
        let server = try LoopbackServer().on(.post, "/device", .json(text: Self.code))
        server.on(.post, "/token", .json(text: #"{"error":"access_denied"}"#, status: 400))
        let refused = await #expect(throws: OAuthError.self) { try await login(server, waiting: [5]) }
        #expect(refused?.code == .accessDenied)
        let slow = try LoopbackServer().on(.post, "/device", .json(text: Self.code))
        slow.on(.post, "/token", .json(text: #"{"error":"authorization_pending"}"#, status: 400))
        let late = await #expect(throws: OAuthError.self) {
            try await login(slow, waiting: Array(repeating: 5, count: 12))
        }
        #expect(late?.code == .expiredToken)
    }

    @Test("an answer without a code is an error, and a cancelled login ends")
    func unusable() async throws {
        let server = try LoopbackServer().on(.post, "/device", .json(text: #"{"user_code":"A"}"#))
        let error = await failure { _ = try await login(server, waiting: []) }
        #expect(error?.kind == .decoding)
        let waiting = try LoopbackServer().on(.post, "/device", .json(text: Self.code))
        let client = client(waiting)
        let task = Task { try await client.deviceLogin { _ in } }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a server without the endpoint is an error that names it, and the property to set")
    func missingEndpoint() async throws {
        let url = try #require(URL(string: "https://login.example.com/token"))
        let client = OAuthClient(id: "app", server: OAuthServer(tokenURL: url))
        let error = await #expect(throws: OAuthError.self) { try await client.deviceLogin { _ in } }
        #expect(error?.code == .missingEndpoint("device_authorization_endpoint"))
        #expect(error?.description.contains("`deviceURL`") == true)
    }

    @Test(
        "numbers of seconds that make no sense have their defaults",
        arguments: [("0", "0"), ("-5", "-1"), ("null", "1e400"), ("false", "true"), ("\"x\"", "\"nan\"")])
    func oddNumbers(interval: String, lifetime: String) async throws {
        let server = try LoopbackServer().on(
            .post, "/device",
            .json(
                text: """
                    {"device_code":"dev","user_code":"ABCD","verification_url":"https://example.com/device",
                     "verification_uri_complete":"https://example.com/device?code=ABCD",
                     "interval":\(interval),"expires_in":\(lifetime)}
                    """))
        server.on(.post, "/token", .json(text: #"{"access_token":"a"}"#))
        _ = try await login(server, waiting: [5])
    }
}
