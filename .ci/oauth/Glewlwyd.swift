import Foundation
import HalyardAsync
import HalyardOAuth

/// A user of glewlwyd, who allows every login. Its pages are programs, which call the same addresses.
struct GlewlwydUser: HTTPProvider {
    let baseURL: URL
    let client = HTTPClient(configuration: .init(cookies: CookieJar()))

    func open(_ url: URL, _ id: String) async throws {
        let user: JSON = ["username": "user", "password": "a password"]
        try await request(Route(path: "/api/auth/", method: .post, body: .json(user))).void()
        let scopes: JSON = ["scope": "openid read"]
        try await request(Route(path: "/api/auth/grant/\(id)", method: .put, body: .json(scopes))).void()
        try await request(Route(url: url.appending(queryItems: [URLQueryItem(name: "g_continue", value: nil)]))).void()
    }
}

extension OAuthToken {
    /// The resource for which glewlwyd has issued the access token.
    func audience() throws -> String? {
        let parts = accessToken.split(separator: ".")
        var base64 = parts.count == 3 ? String(parts[1]).replacing("-", with: "+").replacing("_", with: "/") : ""
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        return try JSON(parsing: Data(base64Encoded: base64) ?? Data())["aud"].string
    }
}

/// glewlwyd, which binds tokens to a key, wants a nonce in each proof, and knows resources.
struct Glewlwyd: Sendable {
    let site: Site
    let server: OAuthServer
    /// The only port to which it redirects.
    let redirect: Int
    private let key: DPoPKey
    private let resource = "https://api.example.com/"
    // It does not decode the header (RFC 6749 section 2.3.1).
    private let secret = OAuthClient.Proof.post(secret: "a secret: +/%&=ü")

    /// The signer has the private key of the proofs.
    init(_ url: URL, redirect: Int, signer: Site) async throws {
        (site, self.redirect) = (Site(baseURL: url, resource: "/api/oidc/userinfo"), redirect)
        server = try await OAuthServer.discover(url.appending(path: "api/oidc"))
        key = DPoPKey(p256: try await signer.request(Route(path: "/key")).data()) { text in
            try await signer.request(Route(path: "/sign", method: .post, body: .data(text))).data()
        }
    }

    private func client(_ id: String, _ proof: OAuthClient.Proof = .none, isBound: Bool = true) -> OAuthClient {
        OAuthClient(
            id: id, proof: proof, server: server, parameters: ["resource": resource], key: isBound ? key : nil,
            clock: HastyClock())
    }

    private func signIn(_ client: OAuthClient, _ id: String) async throws -> OAuthToken {
        // It wants the nonce of OpenID Connect as well, which is not that of a proof.
        try await client.browserLogin(
            scopes: ["openid", "read"], parameters: ["nonce": "n"], port: redirect, path: "/callback"
        ) { try await GlewlwydUser(baseURL: site.baseURL).open($0, id) }
    }

    func check() async throws {
        for (id, proof) in [("an-app", OAuthClient.Proof.none), ("a-site", secret)] {
            try await part("glewlwyd, a user of \(id)") { try await checkUser(id, proof) }
        }
        try await part("glewlwyd, tokens from before there was a key") {
            let token = try await signIn(client("an-app", isBound: false), "an-app")
            let session = OAuthSession(client("an-app"), store: OAuthMemoryStore(token))
            let code = try await refusal { try await site.use(session) }
            try expect(code, .other("invalid_dpop_proof"), "a refresh token that is not bound to the key")
        }
        try await part("glewlwyd, a device") {
            let app = client("an-app")
            let token = try await app.deviceLogin(scopes: ["openid", "read"]) { code in
                guard let url = code.completeURL else { throw Difference(description: "there is no complete URL") }
                try await GlewlwydUser(baseURL: site.baseURL).open(url, "an-app")
            }
            try await site.use(OAuthSession(app, store: OAuthMemoryStore(token)))
        }
        try await part("glewlwyd, a program") {
            let store = OAuthMemoryStore()
            let session = OAuthSession(clientCredentials: client("a program", secret), scopes: ["read"], store: store)
            // Its token is not that of a user, whom the resource would show.
            try? await site.use(session)
            try expect(try store.load()?.audience(), resource, "the resource of a program")
        }
    }

    private func checkUser(_ id: String, _ proof: OAuthClient.Proof) async throws {
        let client = client(id, proof)
        var old = try await signIn(client, id)
        try expect(try old.audience(), resource, "the resource of a code")
        old.expiration = .distantPast
        let store = OAuthMemoryStore(old)
        let session = OAuthSession(client, store: store)
        // The nonce changes meanwhile.
        for error in await site.useOften(session) { throw error }
        guard var new = store.load(), new.accessToken != old.accessToken, new.refreshToken != old.refreshToken else {
            throw Difference(description: "the new tokens were not saved")
        }
        try expect(try new.audience(), resource, "the resource of a refresh")

        let stolen = OAuthMemoryStore(OAuthToken(accessToken: new.accessToken))
        let thief = OAuthSession(OAuthClient(id: id, server: server), store: stolen)
        try expect(try await refusal { try await site.use(thief) }, .signInRequired, "a token without a proof")

        // It does not let a client without a secret revoke.
        guard case .post = proof else { return }
        try await session.signOut()
        new.expiration = .distantPast
        let revoked = OAuthSession(client, store: OAuthMemoryStore(new))
        // It says nothing of the reason.
        do { try await site.use(revoked) } catch let error as HTTPError {
            return try expect(error.status, 400, "the status of a revoked refresh token")
        }
        throw Difference(description: "the refresh token is not revoked")
    }
}
