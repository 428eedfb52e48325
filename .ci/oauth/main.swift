import Foundation
import HalyardOAuth

// Signs in at the servers of server.py in every way that they have.
//
//     OAuth AUTHLIB MOCK TOOLKIT GLEWLWYD REDIRECT FILE [sign-in | use]
//
// The numbers are the ports of the servers, and the one to which glewlwyd redirects. `sign-in` saves a token that has expired to the file, and `use` sends
// requests with the tokens in the file. Without either, everything else is checked, and that only one of the processes
// with `use` has renewed the token.

/// Signs in with a browser. Another page calls the redirect first, with a state of its own.
func signIn(
    _ client: OAuthClient, _ site: Site, scopes: [String] = ["read"], allows: Bool = true
) async throws -> OAuthToken {
    let browser = Browser(baseURL: site.baseURL, allows: allows)
    var token = try await client.browserLogin(scopes: scopes, parameters: ["lifetime": "1"], path: "/callback") { url in
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let redirect = items.first { $0.name == "redirect_uri" }?.value ?? ""
        guard let forged = URL(string: redirect + "?code=forged&state=forged") else { exit(64) }
        try expect(try await HTTPClient.shared.send(HTTPRequest(.get, forged)).status, 400, "a forged redirect")
        try await browser.open(url)
    }
    try expect(token.scopes ?? scopes, scopes, "the scopes")
    // Two of the servers do not know the parameter.
    if (token.expiration ?? .distantFuture).timeIntervalSinceNow > 1 { token.expiration = .distantPast }
    return token
}

/// Checks that the login of a user is renewed once for all requests. Returns the tokens before and after it.
func checkUser(
    _ client: OAuthClient, _ site: Site, scopes: [String] = ["read"]
) async throws -> (old: OAuthToken, new: OAuthToken) {
    let old = try await signIn(client, site, scopes: scopes)
    let store = OAuthMemoryStore(old)
    let (session, before) = (OAuthSession(client, store: store), try await site.refreshes())
    for error in await site.useOften(session) { throw error }
    try expect(try await site.refreshes(), before + 1, "the refreshes of 100 requests with an expired token")
    guard let new = store.load(), new.accessToken != old.accessToken, new.refreshToken != nil else {
        throw Difference(description: "the new tokens were not saved")
    }
    return (old, new)
}

/// Checks what only holds for a server that replaces each refresh token, and revokes tokens.
func checkRotation(_ client: OAuthClient, _ site: Site) async throws {
    let denied = try await refusal { _ = try await signIn(client, site, allows: false) }
    try expect(denied, .accessDenied, "a denied login")

    let (old, new) = try await checkUser(client, site)
    try expect(new.refreshToken != old.refreshToken, true, "the refresh token was replaced")
    let reused = try await refusal { try await site.use(OAuthSession(client, store: OAuthMemoryStore(old))) }
    try expect(reused, .signInRequired, "an old refresh token")

    // The server has replaced the refresh token, but its answer is lost. The requests that waited for it fail with the
    // error of the connection, and the refresh token is kept, because the server may not have got the request. It
    // refuses the refresh token in the next renewal, which ends the login. A late one of the requests may start it.
    let store = OAuthMemoryStore(try await signIn(client, site))
    let session = OAuthSession(client, store: store)
    _ = try await site.get("/lose")
    let errors = await site.useOften(session)
    try expect(errors.count, 100, "the failures after a lost answer")
    for error in errors where !(error is HTTPError) && (error as? OAuthError)?.code != .signInRequired { throw error }
    try expect(errors.contains { $0 is HTTPError }, true, "a request has failed with the lost connection")
    for _ in 0..<2 {
        try expect(try await refusal { try await site.use(session) }, .signInRequired, "a request after a lost answer")
    }
    try expect(store.load(), nil, "the tokens after a lost answer")

    // The session that has ended goes on after a new login, until it is signed out.
    try await session.signIn(try await signIn(client, site))
    try await site.use(session)
    guard var last = store.load() else { throw Difference(description: "there are no tokens to revoke") }
    try await session.signOut()
    try expect(store.load(), nil, "the tokens after signing out")
    last.expiration = .distantPast
    let revoked = try await refusal { try await site.use(OAuthSession(client, store: OAuthMemoryStore(last))) }
    try expect(revoked, .signInRequired, "a revoked refresh token")
    last.refreshToken = nil
    last.expiration = nil
    let access = try await refusal { try await site.use(OAuthSession(client, store: OAuthMemoryStore(last))) }
    try expect(access, .signInRequired, "the access token of a revoked refresh token")
}

/// Checks the login of a program with a secret, in the header and in the body.
func checkProgram(_ server: OAuthServer, _ site: Site) async throws {
    let secret = "a secret: +/%&=ü"
    for proof in [OAuthClient.Proof.basic(secret: secret), .post(secret: secret)] {
        let session = OAuthSession(clientCredentials: OAuthClient(id: "a program", proof: proof, server: server))
        for error in await site.useOften(session) { throw error }
    }
    for proof in [OAuthClient.Proof.basic(secret: "wrong"), .post(secret: "wrong")] {
        let client = OAuthClient(id: "a program", proof: proof, server: server)
        let code = try await refusal { try await site.use(OAuthSession(clientCredentials: client, scopes: ["read"])) }
        try expect(code, .invalidClient, "a wrong secret")
    }
}

/// Checks a login with a code that the user types elsewhere. authlib first says "wait", and then "slower".
func checkDevice(_ id: String, _ server: OAuthServer, _ site: Site) async throws {
    let client = OAuthClient(id: id, server: server, clock: HastyClock())
    for allows in [true, false] {
        let code = try await refusal {
            let token = try await client.deviceLogin(scopes: ["read"]) { code in
                guard let url = code.completeURL else { throw Difference(description: "there is no complete URL") }
                try await Browser(baseURL: site.baseURL, allows: allows).open(url)
            }
            try await site.use(OAuthSession(client, store: OAuthMemoryStore(token)))
        }
        try expect(code, allows ? nil : .accessDenied, "a login of a device")
    }
}

/// Checks tokens that the server refuses or that expire soon.
func checkExpiry(_ server: OAuthServer, _ site: Site, _ user: OAuthClient) async throws {
    let session = OAuthSession(user)
    try await session.signIn(try await checkUser(user, site).new)
    let before = try await site.refreshes()
    _ = try await site.get("/expire")
    for error in await site.useOften(session) { throw error }
    try expect(try await site.refreshes(), before + 1, "the refreshes after the server has refused 100 requests")

    let program = OAuthClient(
        id: "a program", proof: .basic(secret: "a secret: +/%&=ü"), server: server, parameters: ["lifetime": "1"])
    let store = OAuthMemoryStore()
    var tokens: Set<String> = []
    for _ in 0..<2 {
        try await site.use(OAuthSession(clientCredentials: program, store: store))
        tokens.insert(store.load()?.accessToken ?? "")
    }
    try expect(tokens.count, 2, "the tokens of a program whose first one expires soon")
}

func run(_ arguments: [String]) async throws {
    let urls = arguments[1...4].compactMap { URL(string: "http://127.0.0.1:\($0)") }
    let sites = zip(urls, ["/data", "/userinfo", "/data"] as [RoutePath]).map { Site(baseURL: $0, resource: $1) }
    let server = try await OAuthServer.discover(urls[0])
    let client = OAuthClient(id: "an app", server: server)
    let store = OAuthFileStore(URL(fileURLWithPath: arguments[6]))
    switch arguments.dropFirst(7).first {
    case "sign-in": try store.save(try await signIn(client, sites[0]))
    case "use": for error in await sites[0].useOften(OAuthSession(client, store: store)) { throw error }
    default:
        try expect(try await sites[0].refreshes(), 1, "the refreshes of two processes with one file")
        try await part("authlib, a program") { try await checkProgram(server, sites[0]) }
        try await part("authlib, a user") { try await checkRotation(client, sites[0]) }
        try await part("authlib, expiry") { try await checkExpiry(server, sites[0], client) }
        try await part("authlib, a device") { try await checkDevice("an app", server, sites[0]) }

        // It has OpenID Connect's document only, keeps its refresh tokens, and takes any secret.
        try await part("oidc-provider-mock, a user") {
            let server = try await OAuthServer.discover(urls[1])
            let client = OAuthClient(id: "an app", proof: .basic(secret: "any"), server: server)
            let tokens = try await checkUser(client, sites[1], scopes: ["openid"])
            try expect(tokens.new.refreshToken, tokens.old.refreshToken, "the refresh token that was kept")
        }

        var toolkit = try await OAuthServer.discover(urls[2].appending(path: "o"))
        // Its document does not name the endpoint for devices.
        toolkit.deviceURL = urls[2].appending(path: "o/device-authorization/")
        try await part("Django OAuth Toolkit, a program") { try await checkProgram(toolkit, sites[2]) }
        try await part("Django OAuth Toolkit, a device") { try await checkDevice("a-device", toolkit, sites[2]) }
        try await part("Django OAuth Toolkit, a user") {
            try await checkRotation(OAuthClient(id: "an app", server: toolkit), sites[2])
        }
        try await Glewlwyd(urls[3], redirect: Int(arguments[5]) ?? 0, signer: sites[0]).check()
        print("every login holds")
    }
}

do { try await run(CommandLine.arguments) } catch {
    print("it failed: \(error)")
    exit(1)
}
