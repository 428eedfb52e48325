import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Tokens that are bound to a key (RFC 9449). The signature is a digest here; .ci/oauth has a server that checks real
/// ones.
@Suite(.timeLimit(.minutes(3)))
struct DPoPTests {
    private let clock = ManualClock()
    private let server: LoopbackServer
    private static let token = #"{"access_token":"a1","refresh_token":"r1","token_type":"DPoP"}"#

    init() throws {
        server = try LoopbackServer()
        server.on(.post, "/token", .json(text: Self.token)).on(.post, "/revoke", .status(200))
        server.on(.get, "/data", .text("data"))
    }

    private static func signature(of text: Data) -> Data {
        let digest = SHA256Digest.hash(text)
        return digest + digest
    }

    private func client(
        _ proof: OAuthClient.Proof = .none, key: DPoPKey? = DPoPKey(p256: Data(0..<64)) { Self.signature(of: $0) },
        http: HTTPClient = .shared
    ) -> OAuthClient {
        var endpoints = server.endpoints
        endpoints.revocationURL = server.baseURL.appending(path: "revoke")
        return OAuthClient(id: "app", proof: proof, server: endpoints, key: key, http: http, clock: clock)
    }

    private func api(_ session: OAuthSession, _ client: HTTPClient = .shared) -> DataAPI {
        DataAPI(baseURL: server.baseURL, authentication: .oauth(session), client: client)
    }

    private func requests(_ path: String) -> [RecordedRequest] { server.requests.filter { $0.path == path } }

    private func bytes(base64URL text: some StringProtocol) throws -> Data {
        let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        #expect(!text.contains("="))
        return try #require(Data(base64Encoded: base64 + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    /// The claims of a request's proof, after its header and its signature were checked.
    private func claims(
        _ request: RecordedRequest,
        jwk: JSON = [
            "kty": "EC", "crv": "P-256", "x": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "y": "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8",
        ], algorithm: JSON = "ES256"
    ) throws -> JSON {
        let parts = try #require(request.headers["DPoP"]).split(separator: ".")
        try #require(parts.count == 3)
        let header = try JSON(parsing: bytes(base64URL: parts[0]))
        #expect(header == ["typ": "dpop+jwt", "alg": algorithm, "jwk": jwk])
        #expect(try bytes(base64URL: parts[2]) == Self.signature(of: Data("\(parts[0]).\(parts[1])".utf8)))
        return try JSON(parsing: bytes(base64URL: parts[1]))
    }

    /// The time of the client's clock, if it has not moved by more than a few seconds.
    private func isNow(_ json: JSON, after seconds: Double = 0) -> Bool {
        abs((json.double ?? 0) - Date().timeIntervalSince1970 - seconds) < 60 && json.int != nil
    }

    @Test("requests for tokens and to the API have a proof of their own each, and a revocation none")
    func proofs() async throws {
        let session = OAuthSession(client())
        try await session.signIn(OAuthToken(accessToken: "old", expiration: .distantPast, refreshToken: "r0"))
        let route = Route(path: "/data", params: ["q": "1"])
        let api = api(session)
        for _ in 0..<2 { #expect(try await api.request(route).text() == "data") }
        clock.advance(by: .seconds(1000))
        #expect(try await api.data() == "data")
        let token = try claims(try #require(requests("/token").first))
        #expect(token["htm"] == "POST" && token["htu"].string == server.baseURL.absoluteString + "/token")
        #expect(token.object?.map(\.key).sorted() == ["htm", "htu", "iat", "jti"] && isNow(token["iat"]))
        let used = try requests("/data").map { try claims($0) }
        #expect(used.count == 3 && isNow(used[0]["iat"]) && isNow(used[2]["iat"], after: 1000))
        for claims in used {
            #expect(claims["htm"] == "GET" && claims["htu"].string == server.baseURL.absoluteString + "/data")
            // The SHA-256 of "a1", as Python says.
            #expect(claims["ath"] == "9V_xb2b0M2Ama5Xbb4_sAddgMQVDBq5KSzgFmPbP0RQ")
            #expect(claims["nonce"].isNull)
        }
        #expect(Set((used + [token]).map { $0["jti"].string }).count == 4)
        #expect(requests("/data").allSatisfy { $0.headers["Authorization"] == "DPoP a1" })
        try await session.signOut()
        #expect(requests("/revoke").map { $0.headers["DPoP"] } == [nil])
    }

    @Test(
        "the target of a proof is the URL as it is sent, and / without a path",
        arguments: [("", "/"), ("/a%20b/", "/a%20b/")])
    func target(path: String, expected: String) async throws {
        server.on(.get, path.isEmpty ? "/" : "/a%20b/", .text("data"))
        let session = OAuthSession(client())
        try await session.signIn(OAuthToken(accessToken: "a"))
        let url = try #require(URL(string: server.baseURL.absoluteString + path + "?q=1"))
        _ = try await api(session).request(Route(url: url)).response()
        let claims = try claims(try #require(server.requests.last))
        #expect(claims["htu"].string == server.baseURL.absoluteString + expected)
    }

    @Test("a request for tokens is repeated once with the nonce that the server wants, and a new assertion")
    func tokenNonce() async throws {
        let refusal = StubResponse.json(
            text: #"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "n1"])
        server.on(
            .post, "/token", refusal,
            .json(text: Self.token, headers: ["DPoP-Nonce": "n2"]), refusal, refusal, .json(text: Self.token))
        let count = Lock(0)
        let session = OAuthSession(
            clientCredentials: client(
                .assertion {
                    count.withLock { count in
                        count += 1
                        return "assertion \(count)"
                    }
                }))
        #expect(try await api(session).data() == "data")
        try await session.signOut()
        let error = await #expect(throws: OAuthError.self) { try await api(session).data() }
        #expect(error?.code == .other("use_dpop_nonce"))
        let sent = requests("/token")
        #expect(try sent.map { try claims($0)["nonce"].string } == [nil, "n1", "n2", "n1"])
        #expect(Set(try sent.map { try claims($0)["jti"].string }).count == 4)
        #expect(sent.prefix(2).map { $0.form["client_assertion"] } == ["assertion 1", "assertion 2"])
    }

    @Test("a request to the API is repeated with the nonce of the API, and the tokens are not renewed")
    func nonce() async throws {
        let challenge = #"DPoP error="use_dpop_nonce", error_description="a nonce""#
        server.on(
            .get, "/data", .status(401, headers: ["WWW-Authenticate": challenge, "DPoP-Nonce": "n1"]), .text("data"))
        server.on(.post, "/token", .json(text: Self.token, headers: ["DPoP-Nonce": "t1"]))
        let session = OAuthSession(clientCredentials: client())
        #expect(try await api(session).data() == "data")
        #expect(try await api(session).data() == "data")
        // Both are at one origin here, so the nonce of the token endpoint comes first.
        #expect(try requests("/data").map { try claims($0)["nonce"].string } == ["t1", "n1", "n1"])
        #expect(requests("/token").count == 1)
    }

    @Test("a server that refuses the key leaves the tokens, and the error says what to do")
    func otherKey() async throws {
        server.on(.post, "/token", .json(text: #"{"error":"invalid_dpop_proof"}"#, status: 400))
        let store = OAuthMemoryStore(OAuthToken(accessToken: "a", expiration: .distantPast, refreshToken: "r"))
        let error = await #expect(throws: OAuthError.self) {
            try await api(OAuthSession(client(), store: store)).data()
        }
        #expect(error?.code == .other("invalid_dpop_proof") && error?.description.contains("sign in again") == true)
        // The clock of this machine may be wrong.
        #expect(store.load()?.refreshToken == "r")
    }

    @Test("nonces are those of one origin, and a refused token is renewed also if the API sends one")
    func origins() async throws {
        let other = try LoopbackServer()
        let challenge = #"DPoP error="invalid_token""#
        other.on(
            .get, "/data", .status(401, headers: ["WWW-Authenticate": challenge, "DPoP-Nonce": "n1"]), .text("data"))
        server.on(.post, "/token", .json(text: Self.token, headers: ["DPoP-Nonce": "t1"]))
        let session = OAuthSession(client())
        try await session.signIn(OAuthToken(accessToken: "revoked", refreshToken: "r0"))
        #expect(try await DataAPI(baseURL: other.baseURL, authentication: .oauth(session)).data() == "data")
        #expect(try other.requests.map { try claims($0)["nonce"].string } == [nil, "n1"])
        #expect(other.requests.map { $0.headers["Authorization"] } == ["DPoP revoked", "DPoP a1"])
    }

    @Test("an answer with another type of token than that of the client is an error with the way out")
    func types() async throws {
        let none = Log<String>()
        for (type, isBound) in [
            (#","token_type":"Bearer""#, true), ("", true), (#","token_type":"dpop""#, false),
            (#","token_type":"mac""#, false),
        ] {
            server.on(.post, "/token", .json(text: #"{"access_token":"a1"\#(type)}"#))
            let session = OAuthSession(clientCredentials: isBound ? client() : client(key: nil))
            let error = await failure { _ = try await api(session).data() }
            #expect(error?.kind == .decoding)
            none.add(error?.recoverySuggestion ?? "")
        }
        #expect(none.entries[0].contains("`key`") && none.entries[1] == none.entries[0])
        #expect(none.entries[2].contains("`DPoPKey`") && !none.entries[3].contains("`DPoPKey`"))
        #expect(requests("/data").isEmpty && requests("/token").last?.headers["DPoP"] == nil)
        server.on(.post, "/token", .json(text: #"{"access_token":"a1","token_type":"dpop"}"#))
        #expect(try await api(OAuthSession(clientCredentials: client())).data() == "data")
    }

    @Test("only public members of a key are sent, and the closure's errors are the request's")
    func keys() async throws {
        struct Locked: Error {}
        let jwk: JSON = ["kty": "RSA", "n": "AQ", "e": "AQAB", "d": "private", "p": "private", "kid": "1"]
        let rsa = DPoPKey(algorithm: "RS256", jwk: jwk) { Self.signature(of: $0) }
        _ = try await api(OAuthSession(clientCredentials: client(key: rsa))).data()
        let request = try #require(requests("/token").first)
        _ = try claims(request, jwk: ["e": "AQAB", "kty": "RSA", "n": "AQ"], algorithm: "RS256")

        // A point may have the byte in front with which X9.63 begins.
        let point = DPoPKey(p256: Data([4]) + Data(0..<64)) { Self.signature(of: $0) }
        _ = try await api(OAuthSession(clientCredentials: client(key: point))).data()
        _ = try claims(try #require(requests("/token").last))

        let locked = DPoPKey(p256: Data(0..<64)) { _ in throw Locked() }
        await #expect(throws: Locked.self) {
            try await api(OAuthSession(clientCredentials: client(key: locked))).data()
        }
        let der = DPoPKey(p256: Data(0..<64)) { _ in Data(count: 71) }
        let error = await failure { _ = try await api(OAuthSession(clientCredentials: client(key: der))).data() }
        #expect(error?.kind == .encoding("DPoP") && error?.recoverySuggestion?.contains("DER") == true)
        #expect(requests("/token").count == 2)
    }

    @Test("another server gets no proof after a redirect, and no log shows one")
    func foreign() async throws {
        let other = try LoopbackServer().on(.get, "/next", .text("data"))
        server.on(.get, "/moved", .status(307, headers: ["Location": "/data"]))
        server.on(.get, "/data", .status(307, headers: ["Location": other.baseURL.absoluteString + "/next"]))
        let lines = Log<String>()
        let log = EventLog.custom { event in
            for detail in [EventLog.Detail.lines, .headers, .bodies] { lines.add(event.text(detail)) }
            if let request = event.request { lines.add(request.curlCommand()) }
        }
        let http = HTTPClient(log: log)
        let key = DPoPKey(p256: Data(0..<64)) { Self.signature(of: $0) }
        let session = OAuthSession(clientCredentials: client(key: key, http: http))
        #expect(try await api(session, http).request(Route(path: "/moved")).text() == "data")
        #expect(other.requests.map { $0.headers["DPoP"] } == [nil])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        // A redirect within the server has a proof for its own target.
        let base = server.baseURL.absoluteString
        #expect(
            try ["/moved", "/data"].map { try claims(requests($0)[0])["htu"].string } == [
                base + "/moved", base + "/data",
            ])
        var text = lines.entries.joined(separator: "\n") + "\(key) \(String(reflecting: client(key: key)))"
        dump(key, to: &text)
        #expect(text.contains("DPoP: ***") && text.contains("DPoP with ES256"))
        let proofs = (requests("/token") + requests("/data")).compactMap { $0.headers["DPoP"] }
        for part in proofs.flatMap({ $0.split(separator: ".") }) { #expect(!text.contains(part)) }
        #expect(proofs.count == 2 && !text.contains("AAECAwQF"))
    }
}
