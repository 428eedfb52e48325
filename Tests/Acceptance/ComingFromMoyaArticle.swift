import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

// The examples of the article for users of Moya, word for word.

struct GitHub: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com")!
    var token: @Sendable () -> String = { "" }  // AccessTokenPlugin
    var client = HTTPClient.shared
    var additionalHeaders: [String: String] {
        [
            "Accept": "application/vnd.example+json",
            "Authorization": "Bearer \(token())",
        ]
    }
}

extension Route {
    static let zen = Route(path: "/zen")
    static func profile(of name: String) -> Route {
        Route(path: "/users/\(name)")
    }
    static func repositories(of name: String, page: Int) -> Route {
        Route(path: "/users/\(name)/repos", params: ["page": page])
    }
}

private struct Profile: Codable, Sendable, Equatable {
    var login: String
    var id: Int
}

private enum MoyaArticle {
    struct Activity: Interceptor {  // NetworkActivityPlugin
        let change: @Sendable (Int) -> Void

        func intercept(_ request: HTTPRequest, next: Chain) async throws
            -> HTTPResponse
        {
            change(1)
            defer { change(-1) }
            return try await next.proceed(request)
        }
    }

    static func read(
        _ api: GitHub, show: @escaping @MainActor @Sendable (String) -> Void
    ) async throws -> (Profile, Future<String>) {
        api.request(.profile(of: "ann")).responseObject(of: Profile.self, at: "data") {
            response in
            switch response.result {
            case .success(let profile): show(profile.login)
            case .failure(let error): show("\(error)")
            }
        }
        let profile = try await api.request(.profile(of: "ann"))
            .object(Profile.self, at: "data")
        let login = api.request(.profile(of: "ann")).future(
            of: Profile.self, at: "data"
        ).map(\.login)
        return (profile, login)
    }

    static func transfers(
        _ api: GitHub, _ file: URL, _ place: URL, show: @escaping @MainActor @Sendable (String) -> Void
    ) async throws -> URL {
        let gif = Route(
            path: "/gifs", method: .post,
            multipart: [
                .file(file, name: "file", contentType: "image/gif"),
                .text("a wave", name: "description"),
            ])
        try await api.request(gif)
            .uploadProgress { show("\($0.fraction ?? 0)") }
            .void()
        let saved = try await api.request(.zen).download(to: place)
        return saved
    }

    static func stubs() -> (StubTransport, GitHub) {
        let stub = StubTransport()
            .on(.get, "/zen", .text("Half measures are as bad as nothing at all."))
            .on(
                .get, "/users/{name}", .json(["data": ["login": "ann", "id": 100]]),
                .status(503)
            )
            .on(.get, "/slow") { _ in throw HTTPError.timedOut }
        let api = GitHub(client: HTTPClient(transport: stub))
        return (stub, api)
    }

    static func dry(_ api: GitHub) async throws -> Profile {
        let profile = Endpoint(
            .get, "/users/{name}", .path("name"), returning: Profile.self
        ) { name in
            .json(Profile(login: name, id: 100))
        }
        let ann = try await api.dry().send(profile("ann"))
        return ann
    }

    static func time(
        _ api: GitHub, show: @escaping @MainActor @Sendable (String) -> Void
    ) throws -> (Request, Route, GitHub) {
        let request = api.request(.zen).responseText { response in
            show(response.value ?? "none")
        }
        request.cancel()  // Cancellable; a task that awaits is cancelled as tasks are
        let hasty = Route(path: "/zen").timeout(.seconds(5)).redirects(.never)
            .retry(.upTo(attempts: 3))
        var engine = EngineConfiguration(proxy: .system)
        engine.tls.pins["api.example.com"] = [
            "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
        ]
        let pinned = GitHub(client: HTTPClient(engine: engine))
        return (request, hasty, pinned)
    }
}

extension GitHub {
    func validate(_ response: HTTPResponse) async throws {
        if response.status != 304 { try response.requireSuccess() }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct ComingFromMoyaTests {
    private let log = Log<String>()
    private let server: LoopbackServer
    private let api: GitHub

    init() throws {
        server = try .accepting()
        api = GitHub(baseURL: server.baseURL)
    }

    @Test("the stub responds with the profile, then with the error of a 503")
    func reading() async throws {
        let (stub, api) = MoyaArticle.stubs()
        let ann = try await api.request(.profile(of: "ann")).object(Profile.self, at: "data")
        #expect(ann == Profile(login: "ann", id: 100))
        await #expect(throws: HTTPError.status(503)) { try await api.request(.profile(of: "ann")).void() }
        await #expect(throws: HTTPError.timedOut) { try await api.request(Route(path: "/slow")).void() }
        #expect(stub.requests.map(\.target) == ["/users/ann", "/users/ann", "/slow"])
        #expect(stub.requests[0].headers["Accept"] == "application/vnd.example+json")
    }

    @Test("a callback, an await and a future decode the profile; a name is one segment")
    func callbacks() async throws {
        server.on(.get, "/users/ann", .json(["data": ["login": "ann", "id": 100]]))
        let (profile, login) = try await MoyaArticle.read(api) { log.add($0) }
        #expect(profile == Profile(login: "ann", id: 100))
        #expect(try await login.value == "ann")
        try await eventually("the callback is called") { log.entries == ["ann"] }
        try await api.request(.repositories(of: "a/b", page: 2)).void()
        #expect(server.requests.last?.target == "/users/a%2Fb/repos?page=2")
    }

    @Test("validate accepts a 304 and not a 404; a 302 is followed, unless the route's policy forbids it")
    func validation() async throws {
        let away = StubResponse.status(302, headers: ["Location": "/"])
        server.on(.get, "/zen", .status(304), .status(404), away)
        #expect(try await api.request(.zen).response().status == 304)
        await #expect(throws: HTTPError.status(404)) { try await api.request(.zen).void() }
        try await api.request(.zen).void()
        #expect(server.requests.map(\.target) == ["/zen", "/zen", "/zen", "/"])
        var hasty = try MoyaArticle.time(MoyaArticle.stubs().1) { _ in }.1
        hasty.options.timeout = nil  // the article's own is short, where much else runs
        await #expect(throws: HTTPError.status(302)) { try await api.request(hasty).void() }
    }

    @Test("a route with a retry policy is sent again")
    func retries() async throws {
        server.on(.get, "/zen", .status(503, retryAfter: 0), .status(503, retryAfter: 0), .text("calm"))
        var hasty = try MoyaArticle.time(MoyaArticle.stubs().1) { _ in }.1
        hasty.options.timeout = nil  // the article's own is short, where much else runs
        let response = try await api.request(hasty).response()
        #expect(response.text == "calm" && response.sendCount == 3)
    }

    @Test(
        "an interceptor counts running requests; a computed header field has the token, only at the provider's origin")
    func plugins() async throws {
        let changes = Log<Int>()
        let client = HTTPClient(interceptors: [MoyaArticle.Activity { changes.add($0) }])
        try await GitHub(baseURL: server.baseURL, client: client).request(.zen).void()
        #expect(changes.entries == [1, -1])

        let stub = StubTransport().on(.get, "/*", .status(204))
        let members = GitHub(token: { "t0k3n" }, client: HTTPClient(transport: stub))
        try await members.request(.zen).void()
        let elsewhere = try #require(URL(string: "https://example.org/x"))
        try await members.request(Route(url: elsewhere)).void()
        #expect(stub.requests.map { $0.headers[.authorization] } == ["Bearer t0k3n", nil])
    }

    @Test("a file is uploaded as a part, and a body is downloaded to a file")
    func transfers() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("GIF89a", to: "wave.gif")
        server.on(.get, "/zen", .text("calm"))
        let saved = try await MoyaArticle.transfers(api, file, folder.file("zen.txt")) { log.add($0) }
        #expect(try String(contentsOf: saved, encoding: .utf8) == "calm")
        let form = try ParsedForm(server.requests[0])
        #expect(form.dispositions == [#"name="file"; filename="wave.gif""#, #"name="description""#])
        #expect(form.texts == ["GIF89a", "a wave"] && form.parts[0].contentType == "image/gif")
        #expect(log.entries.last == "1.0")
    }

    @Test("an endpoint has sample data; a cancelled request has an error of that kind")
    func others() async throws {
        #expect(try await MoyaArticle.dry(api) == Profile(login: "ann", id: 100))
        server.on(.get, "/zen", .text("calm").stalling())
        let (request, hasty, pinned) = try MoyaArticle.time(api) { log.add($0) }
        await #expect(throws: HTTPError.cancelled) { try await request.void() }
        #expect(hasty.options.timeout == .seconds(5) && pinned.client !== HTTPClient.shared)
    }

    @Test("Moya's tasks are these: a query, a form, JSON")
    func tasks() async throws {
        let tags: Parameters = ["tags": ["a", "b"], "on": true, "none": String?.none]
        try await api.request(Route(path: "/t", params: tags, encoding: .url(arrays: .brackets))).void()
        try await api.request(Route(path: "/t", method: .post, params: tags, encoding: .form)).void()
        try await api.request(Route(path: "/t", method: .patch, params: tags, encoding: .json)).void()
        #expect(
            server.requests.map { "\($0.target) \($0.text)" } == [
                "/t?tags%5B%5D=a&tags%5B%5D=b&on=true ", "/t tags=a&tags=b&on=true",
                #"/t {"tags":["a","b"],"on":true}"#,
            ])
    }
}
