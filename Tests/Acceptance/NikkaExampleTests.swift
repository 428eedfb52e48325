import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Part C of the acceptance table: the examples of Nikka's README, in Halyard's spelling.
@Suite(.timeLimit(.minutes(3)))
struct NikkaExampleTests {
    struct MyProvider: HTTPProvider {
        let baseURL: URL
        var additionalHeaders: HTTPHeaders = [:]
        var additionalParams: Parameters = [:]
    }

    struct DeezerError: Error, Equatable, LocalizedError {
        var code: Int
        var errorDescription: String?
    }

    struct DeezerProvider: HTTPProvider {
        let baseURL: URL
        func validate(_ response: HTTPResponse) async throws {
            try response.requireSuccess()
            guard let error = try? response.json()["error"], let code = error["code"].int else { return }
            throw DeezerError(code: code, errorDescription: error["message"].string)
        }
    }

    struct SessionProvider: HTTPProvider {
        let baseURL: URL
        let log = Log<String>()
        func shouldContinue(with error: any Error) async -> Bool {
            guard error == HTTPError.status(401) else { return true }
            log.add("should log out")
            return false
        }
    }

    private let server: LoopbackServer
    private let provider: MyProvider

    init() throws {
        server = try .accepting()
        provider = MyProvider(baseURL: server.baseURL.appending(path: "api"))
    }

    private var lines: [String] { server.requests.map { "\($0.method) \($0.target) \($0.text)" } }

    @Test("a provider with a base URL requests JSON", .examples("N1"))
    func json() async throws {
        server.on(.get, "/api/me/friends", .json([User(id: "1", name: "Ann")]))
        let friends = await response { provider.request(Route(path: "/me/friends")).responseJSON($0) }
        #expect(friends.value?.array?.count == 1 && friends.value?[0]["name"].string == "Ann")
        #expect(lines == ["GET /api/me/friends "])
    }

    @Test("routes are static members, with and without parameters", .examples("N2"))
    func routes() async throws {
        for route in [Route.me, .friends, .user("5"), .login("foo@gmail.com", "bar")] {
            try await provider.request(route).void()
        }
        let login = #"POST /api/login {"email":"foo@gmail.com","password":"bar"}"#
        #expect(lines == ["GET /api/me ", "GET /api/me/friends ", "GET /api/user/5 ", login])
        #expect(server.requests.last?.headers[.contentType] == "application/json")
    }

    @Test("sends a GET, a POST with JSON, and a PUT with a form and a header", .examples("N3"))
    func three() async throws {
        let routes = [
            Route(path: "/me"),
            Route(path: "/login", method: .post, params: ["email": "example@gmail.com", "password": "qwerty12345"]),
            Route(
                path: "/user/about", method: .put, params: ["text": "Hey!!"], headers: ["Authorization": "12345"],
                encoding: .form),
        ]
        for route in routes { try await provider.request(route).void() }
        #expect(
            lines == [
                "GET /api/me ", #"POST /api/login {"email":"example@gmail.com","password":"qwerty12345"}"#,
                "PUT /api/user/about text=Hey%21%21",
            ])
        #expect(server.requests.map { $0.headers[.authorization] } == [nil, nil, "12345"])
        #expect(server.requests[2].headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("uploads an image in a multipart form with progress", .examples("N4"))
    func multipart() async throws {
        server.on(.post, "/api/profile/picture", .json(["ok": true]))
        let (log, image) = (Log<String>(), Data.noise(3000))
        var form: [MultipartPart] = []
        form.append(.data(image, name: "image", filename: "image.jpg"))
        let route = Route(path: "/profile/picture", method: .post, multipart: form)
        let json = await response { handler in
            provider.request(route)
                .uploadProgress { progress in log.add("\(progress.completed)/\(progress.total ?? 0)") }
                .responseJSON(handler)
        }
        #expect(json.value?["ok"].bool == true)
        let parts = try ParsedForm(server.request).parts
        #expect(parts.map(\.disposition) == [#"name="image"; filename="image.jpg""#])
        #expect(parts[0].contentType == "image/jpeg" && parts[0].body.isSame(as: image))
        let total = try server.request.body.count
        #expect(log.entries.last == "\(total)/\(total)")
    }

    @Test("each request carries the provider's headers and parameters", .examples("N5"))
    func additions() async throws {
        var provider = provider
        provider.additionalHeaders = ["Locale": "en-US"]
        provider.additionalParams = ["token": "d71106a0-dd44-4092-a72e"]
        try await provider.request(.me).void()
        try await provider.request(.login("a", "b")).void()
        #expect(lines[0] == "GET /api/me?token=d71106a0-dd44-4092-a72e ")
        #expect(try JSON(parsing: server.requests[1].body)["token"].string == "d71106a0-dd44-4092-a72e")
        #expect(server.requests.allSatisfy { $0.headers["Locale"] == "en-US" })
    }

    @Test("validate throws an API's own error for a 200", .examples("N6"))
    func ownError() async throws {
        let none = #"{"error":{"type":"DataException","message":"no data","code":800}}"#
        server.on(.get, "/track/{id}", .json(text: none), .json(["title": "One"]))
        let deezer = DeezerProvider(baseURL: server.baseURL)
        let track = Route(path: "/track/\(313_555_658_769)")
        let failed = await response { deezer.request(track).responseJSON($0) }
        #expect(failed.error as? DeezerError == DeezerError(code: 800, errorDescription: "no data"))
        #expect(failed.error?.localizedDescription == "no data")
        #expect(failed.status == 200 && !failed.isSuccessful)
        let found = await response { deezer.request(track).responseJSON($0) }
        #expect(found.value?["title"].string == "One")
        #expect(server.requests[0].target == "/track/313555658769")
    }

    @Test("a 401 ends the session, and no callback is called", .examples("N7"))
    func shouldContinue() async throws {
        server.on(.get, "/me", .status(401), .status(500))
        let provider = SessionProvider(baseURL: server.baseURL)
        await withCheckedContinuation { continuation in
            provider.request(.me).responseJSON { _ in Issue.record("called") }.onEnd { continuation.resume() }
        }
        #expect(provider.log.entries == ["should log out"])
        let failed = await response { provider.request(.me).responseJSON($0) }
        #expect(failed.error == HTTPError.status(500))
        #expect(provider.log.entries.count == 1)
    }

    @Test("a full URL is requested without a provider", .examples("N8"))
    func noProvider() async throws {
        server.on(.get, "/api/user/1", .json(User(id: "1", name: "Ann")))
        let json = await response { DefaultProvider.request("\(server.baseURL)/api/user/1").responseJSON($0) }
        #expect(json.value?["name"].string == "Ann")
        #expect(lines == ["GET /api/user/1 "])
    }

    @Test("returns an object, or an error that gives the reason", .examples("N9"))
    func object() async throws {
        server.on(.get, "/api/user/1234", .json(User(id: "1234", name: "Ann")), .json(["id": "1234"]))
        let route = Route(path: "/user/1234")
        let good: Response<User> = await response { provider.request(route).responseObject($0) }
        #expect(good.value?.name == "Ann" && good.error == nil)
        let bad: Response<User> = await response { provider.request(route).responseObject($0) }
        #expect(bad.value == nil)
        #expect(bad.error?.localizedDescription.contains(#""name" is missing, but User requires it"#) == true)
    }

    @Test("futures return the whole response or JSON", .examples("N10"))
    func futures() async throws {
        server.on(.post, "/api/login", .json(["token": "t"]), .json(["token": "t"]), .status(403))
        let route = Route.login("foo@gmail.com", "bar")
        let whole = await withCheckedContinuation { continuation in
            provider.request(route).futureResponse().onComplete { continuation.resume(returning: $0) }
        }
        #expect(try whole.get().status == 200 && whole.get().text == #"{"token":"t"}"#)
        let token = await withCheckedContinuation { continuation in
            provider.request(route).future(.json)
                .onSuccess { continuation.resume(returning: $0["token"].string) }.onFailure { Issue.record("\($0)") }
        }
        #expect(token == "t")
        let error = await withCheckedContinuation { continuation in
            provider.request(route).future(.data)
                .onSuccess { Issue.record("\($0)") }.onFailure { continuation.resume(returning: $0) }
        }
        #expect(error == HTTPError.status(403))
    }

    @Test("an await replaces an observable", .examples("N11"))
    func await() async throws {
        server.on(.post, "/api/login", .json(["token": "t"]))
        let response = try await provider.request(.login("foo@gmail.com", "bar")).response()
        #expect(response.status == 200 && response.data.count == 13)
        #expect(try await provider.request(.login("foo@gmail.com", "bar")).value(.json)["token"].string == "t")
        #expect(lines[0] == lines[1])
    }

    @Test("reads a list, a list at a key path, and a feed after a login", .examples("N12"))
    func mappers() async throws {
        struct Post: Codable, Equatable, Sendable { var text: String }
        let posts = [Post(text: "a"), Post(text: "b")]
        server.on(.get, "/api/feed/7", .json(posts)).on(.get, "/api/all", .json(["data": ["items": posts]]))
            .on(.post, "/api/login", .json(User(id: "7", name: "Ann")), .status(401))
        let listed: Response<[Post]> = await response { provider.request(Route(path: "/feed/7")).responseObject($0) }
        #expect(listed.value == posts)
        let all = Route(path: "/all")
        let below = await response { provider.request(all).responseObject(of: [Post].self, at: "data.items", $0) }
        #expect(below.value == posts)

        let feed: @Sendable () -> Future<[Post]> = { [provider] in
            provider.request(.login("a", "b")).future(of: User.self)
                .flatMap { provider.request(Route(path: "/feed/\($0.id)")).future() }
        }
        #expect(try await feed().value == posts)
        await #expect(throws: HTTPError.status(401)) { try await feed().value }
        let paths = ["/api/feed/7", "/api/all", "/api/login", "/api/feed/7", "/api/login"]
        #expect(server.requests.map(\.path) == paths)
    }
}

extension Route {
    fileprivate static let friends = Route(path: "/me/friends")
}
