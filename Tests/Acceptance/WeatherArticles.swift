import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

// The examples of the articles on retries, redirects and authentication, word for word.

private func retries(_ params: Parameters) -> (HTTPClient, Route) {
    let client = HTTPClient(
        configuration: .init(timeout: .seconds(30), retry: .upTo(attempts: 3)))
    let pay = Route(path: "/payments", method: .post, params: params)
        .retry(.upTo(attempts: 3).withIdempotencyKey())
    return (client, pay)
}

private func policy() -> RetryPolicy {
    var policy = RetryPolicy.upTo(attempts: 5)
    policy.statuses = [429, 503]
    // at most that before the second attempt, then twice, four times
    policy.delay = .milliseconds(200)
    policy.retryAfterLimit = .seconds(10)
    return policy
}

private func patient(_ note: String) -> Route {
    let save = Route(path: "/notes/7", method: .put, body: .text(note))
        .retry(.upTo(attempts: 3).waitingForNetwork(.seconds(300)))
    return save
}

private func silence() -> (Route, Route) {
    let watch = Route(path: "/events").idleTimeout(.seconds(3600))
    let probe = Route(path: "/health").connectTimeout(.seconds(1))
        .idleTimeout(.seconds(2))
    return (watch, probe)
}

private func attempts(_ api: some HTTPProvider) async throws -> Int {
    do {
        return try await api.request(.me).response().sendCount
    } catch let error as HTTPError where error.kind == .timedOut {
        return error.sendCount
    }
}

private func redirects(_ url: URL) -> [Route] {
    let once = Route(path: "/latest").redirects(.follow(limit: 1))
    // the 302 itself: by default a failure
    let shown = Route(path: "/latest").redirects(.never)
    // https may lead to http
    let old = Route(url: url).redirects(.follow(allowsDowngrade: true))
    let moved = Route(path: "/login", method: .post)
        .redirects(.follow(allowsForeignSecrets: true))
    return [once, shown, old, moved]
}

private func way(_ api: some HTTPProvider) async throws {
    let response = try await api.request(.me).response()
    for step in response.redirects { print(step.status, step.url) }
}

// swift-format-ignore
private enum Authenticating {
struct MusicAPI: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com/v1")!
    var authentication = Authentication.bearer("d71106a0")
    var client = HTTPClient.shared
}
}

// swift-format-ignore
fileprivate extension Authenticating.MusicAPI {
/// The API for a user who logs in.
func loggedIn(name: String, password: String) -> Self {
    var api = self
    api.authentication = .bearer(
        TokenSource { [self] _ in
            let login = Route(
                path: "/login", method: .post,
                params: ["name": name, "password": password])
            return try await request(login).object(Session.self).token
        })
    return api
}
}

private func kinds(_ key: String) -> [Authentication] {
    // over https, or to this machine; elsewhere pass allowsHTTP: true
    let basic = Authentication.basic(user: "ann", password: "secret")
    let header = Authentication.apiKey(key, header: "X-API-Key")
    let query = Authentication.apiKey(key, query: "api_key")
    let digest = Authentication.digest(user: "ann", password: "secret")
    return [basic, header, query, digest]
}

private struct Session: Decodable, Sendable {
    var token: String
    var lifetime: Int { 3600 }
}

extension Route {
    fileprivate static var newSession: Route { Route(path: "/sign-in", method: .post) }
}

private func expiring(_ login: Authenticating.MusicAPI) -> TokenSource {
    let tokens = TokenSource { _ in
        let session = try await login.request(.newSession).object(Session.self)
        return AccessToken(session.token, expiresIn: .seconds(session.lifetime))
    }
    return tokens
}

private func tokens(_ login: Authenticating.MusicAPI, _ stored: String) async throws {
    let tokens = TokenSource(stored) { refused in
        let renew = Route(
            path: "/token", method: .post, params: ["old": refused], encoding: .form
        )
        return try await login.request(renew).object(Session.self).token
    }
    let api = Authenticating.MusicAPI(authentication: .bearer(tokens), client: login.client)
    try await api.request(.me).void()
    tokens.token = nil  // after a logout: the next request has one made
}

// swift-format-ignore
private enum Signing {
struct Signature: Authenticator {
    let sign: @Sendable (String) -> String

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Signature"] = sign(
            "\(request.method) \(request.url.path())")
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest)
        async throws -> Bool
    { false }
}
}

struct WeatherArticleTests {
    @Test("the articles' examples work")
    func run() async throws {
        let stub = StubTransport().on(.get, "/me", .status(200)).on(.post, "/token", .json(["token": "new"]))
        var api = Authenticating.MusicAPI(client: HTTPClient(transport: stub))
        #expect(try await attempts(api) == 1)
        try await way(api)
        try await tokens(api, "old")
        api.authentication = Authentication(Signing.Signature { "signed \($0)" })
        try await api.request(.me).void()
        #expect(stub.requests.last?.headers["X-Signature"] == "signed GET /v1/me")
        stub.on(.post, "/login", .json(["token": "first"])).on(.get, "/list", .status(401), .status(200))
        let user = Authenticating.MusicAPI(client: api.client).loggedIn(name: "ann", password: "secret")
        try await user.request(Route(path: "/list")).void()
        let sent = stub.requests.suffix(4).map { "\($0.path) \($0.headers["Authorization"] ?? "none")" }
        #expect(
            sent == [
                "/v1/login Bearer d71106a0", "/v1/list Bearer first", "/v1/login Bearer d71106a0",
                "/v1/list Bearer first",
            ])
        #expect(redirects(api.baseURL).count == 4 && kinds("k").count == 4 && policy().attempts == 5)
        #expect(retries([:]).1.options.retry?.sendsIdempotencyKey == true)
        #expect(patient("").options.retry?.networkWait == .seconds(300))
        #expect(silence().0.options.idleTimeout == .seconds(3600))
        #expect(silence().1.options.connectTimeout == .seconds(1))
    }

    @Test func `a token that expires is used until its end`() async throws {
        let stub = StubTransport().on(.post, "/v1/sign-in", .json(["token": "t0k"])).on(.get, "/v1/me", .status(200))
        let login = Authenticating.MusicAPI(client: HTTPClient(transport: stub))
        let api = Authenticating.MusicAPI(authentication: .bearer(expiring(login)), client: login.client)
        try await api.request(.me).void()
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer d71106a0", "Bearer t0k"])
    }
}
