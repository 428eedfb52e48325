import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// The examples of the design page, against a server in place of `https://api.example.com`.
@Suite(.timeLimit(.minutes(3)))
struct DesignPageTests {
    /// Sends requests for the page's host to the test's server. An interceptor would lose the secrets.
    struct Detour: Transport {
        let server: URL
        let engine = HTTPClient.shared.transport

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            var request = request
            let target = request.url.absoluteString.replacing("https://api.example.com", with: "\(server)")
            try request.setURL(#require(URL(string: target)))
            return try await engine.send(request, context: context)
        }
    }

    private let server: LoopbackServer
    private let api: DesignPage.MusicAPI
    private let log = Log<String>()

    init() throws {
        server = try LoopbackServer()
            .on(.get, "/v1/me", .json(User(id: "1", name: "Ann")))
            .on(.get, "/v1/user/{id}") { .json(User(id: $0.pathParameters["id"] ?? "", name: "Bob")) }
            .on(.put, "/v1/user/about", .status(204))
            .on(.put, "/v1/user/{id}", .status(204))
            .on(.get, "/v1/search", .status(204))
            .on(.post, "/v1/profile/picture", .json(User(id: "1", name: "jane")))
            .on(.post, "/v1/login", .json(Login(token: "t", user: User(id: "7", name: "Ann"))))
            .on(.get, "/v1/dump", .text("all of it"))
            .on(.get, "/v1/events", .text("one\r\ntwo\nthree"))
        api = DesignPage.MusicAPI(client: HTTPClient(transport: Detour(server: server.baseURL)))
    }

    private var print: Print {
        { [log] items in log.add(items.map { "\($0)" }.joined(separator: " ")) }
    }

    @Test("every request carries the provider's headers and parameters")
    func provider() async throws {
        try await api.request(.me).void()
        let request = try server.request
        #expect(request.target == "/v1/me?token=d71106a0")
        #expect(request.headers["Accept-Language"] == "en")
    }

    @Test("validate can throw the API's own errors for a 200")
    func validate() async throws {
        server.on(.get, "/v1/me", .json(text: #"{"error":{"code":800}}"#), .status(500))
        await #expect(throws: MusicError(code: 800)) { try await api.request(.me).void() }
        await #expect(throws: HTTPError.status(500)) { try await api.request(.me).void() }
    }

    @Test("shouldContinue stops callbacks and ends other observers with .stopped")
    func shouldContinue() async throws {
        server.on(.get, "/v1/me", .status(401))
        let request = api.request(.me)
        await withCheckedContinuation { continuation in
            request.responseJSON { _ in Issue.record("a callback was called") }.onEnd { continuation.resume() }
        }
        await #expect(throws: HTTPError(.stopped)) { try await request.data() }
        await #expect(throws: HTTPError(.stopped)) { try await api.request(.me).future(.json).value }
        let error = await failure { try await api.request(.me).void() }
        #expect(error?.status == 401 && error?.cause == HTTPError.status(401))
    }

    @Test("the routes send what they declare")
    func routes() async throws {
        try await api.request(.user("a/b?c")).void()
        try await api.request(.login("foo@example.com", "bar")).void()
        try await api.request(.search("a b", since: nil, tags: ["x", "y"])).void()
        try await api.request(.search("c", since: Date(timeIntervalSince1970: 1.5), tags: [])).void()
        try await api.request(.about("Hey!! you")).void()
        try await api.request(.rename(User(id: "7", name: "Eve"))).void()
        #expect(
            server.requests.map { "\($0.method) \($0.target) \($0.text)" } == [
                "GET /v1/user/a%2Fb%3Fc?token=d71106a0 ",
                #"POST /v1/login {"email":"foo@example.com","password":"bar","token":"d71106a0"}"#,
                "GET /v1/search?q=a%20b&tags=x&tags=y&sort=newest&count=8&token=d71106a0 ",
                "GET /v1/search?q=c&since=1500&sort=newest&count=8&token=d71106a0 ",
                "PUT /v1/user/about text=Hey%21%21%20you&token=d71106a0",
                #"PUT /v1/user/7?token=d71106a0 {"id":"7","name":"Eve"}"#,
            ])
        let types = ["application/json", "application/x-www-form-urlencoded", "application/json"]
        #expect(server.requests.compactMap { $0.headers[.contentType] } == types)
    }

    @Test("uploads a picture and calls all handlers of the screen", .timeLimit(.minutes(3)))
    func callbacks() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data.noise(5000), to: "me.png")
        let screen = await DesignPage.Screen(log)
        await screen.upload(api, file, print)
        try await eventually("the spinner stops") { log.entries.contains("stop") }

        let parts = try ParsedForm(server.request).parts
        #expect(
            parts.map(\.disposition) == [
                #"name="token""#, #"name="user""#, #"name="image"; filename="me.png""#,
            ])
        #expect(parts.last?.contentType == "image/png")
        #expect(parts.last?.body.isSame(as: .noise(5000)) == true)

        #expect(log.entries.last == "stop")
        #expect(log.entries.contains("title jane"))
        #expect(log.entries.contains { $0.hasPrefix("success(") && $0.contains(#"name: "jane""#) })
        let bars = log.entries.filter { $0.hasPrefix("bar") }
        #expect(bars.last == "bar 1.0" && log.entries.first == bars.first)
        #expect(await screen.title == "jane")
    }

    @Test("canceling a request also stops the spinner")
    func cancelled() async throws {
        let request = api.request(.me)
        await withCheckedContinuation { continuation in
            request.onEnd { continuation.resume() }
            request.cancel()
        }
        #expect(server.requests.isEmpty)
    }

    @Test("handlers run on a queue, and a request without handlers can be started")
    func onQueue() async throws {
        DesignPage.callbacks(api, print)
        try await eventually("both are sent") { server.requests.count == 2 && !log.entries.isEmpty }
        #expect(log.entries == ["200 23"])
        let about = try #require(server.requests.first { $0.method == .put })
        #expect(about.text == "text=hi&token=d71106a0")
    }

    @Test("a chain of futures returns the user, or falls back to the guest")
    func futures() async throws {
        // The page's timeout of ten seconds is real: a high priority runs the chain before the tests in parallel.
        await Task(priority: .high) { DesignPage.futures(api, print) }.value
        try await eventually("it is over") { !log.entries.isEmpty }
        #expect(log.entries == ["Bob"])
        #expect(server.requests.map(\.path) == ["/v1/login", "/v1/user/7"])

        server.on(.get, "/v1/user/{id}", .status(500))
        await Task(priority: .high) { DesignPage.futures(api, print) }.value
        try await eventually("it is over") { log.entries.count == 2 }
        #expect(log.entries == ["Bob", "guest"])
    }

    @Test("every kind of await in the example returns its value")
    func awaits() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a picture", to: "me.png")
        try await DesignPage.awaits(api, file, print)
        let entries = log.entries
        #expect(entries.suffix(4) == ["one", "two", "three", "Ann Ann Bob me.png"])
        #expect(entries.count > 4 && entries.dropLast(4).last == "1.0")
        #expect(try String(contentsOf: file, encoding: .utf8) == "all of it")
        #expect(try folder.names == ["me.png"])
        // zip sends both requests at once, so they may arrive in either order.
        let paths = server.requests.map(\.path)
        #expect(paths.first == "/v1/me" && Set(paths[1...2]) == ["/v1/me", "/v1/user/2"])
        #expect(Array(paths[3...]) == ["/v1/profile/picture", "/v1/dump", "/v1/events"])
    }

    @Test("a 404 is caught by its status and other errors by their kind")
    func failures() async throws {
        server.on(.get, "/v1/user/{id}", .status(404), .text("too busy", status: 503), .status(200))
        try await DesignPage.failures(api, print)
        try await DesignPage.failures(api, print)
        try await DesignPage.failures(api, print)
        #expect(log.entries == ["no such user", "503 too busy 1"])
    }

    @Test("canceling the task cancels the request")
    func cancellation() async throws {
        server.on(.get, "/v1/me", .text("late").delayed(by: .seconds(600)))
        let task = Task { try await api.request(.me).object(User.self) }
        try await eventually("it is sent") { server.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test("endpoints can be sent and called")
    func endpoints() async throws {
        server.on(.patch, "/v1/users/42", .json(User(id: "42", name: "Bob")))
            .on(.delete, "/v1/users/7", .status(204))
            .on(.post, "/v1/media/9", .json(User(id: "9", name: "Eve")))
        try await DesignPage.endpoints(api, print)
        try await eventually("the call has ended") { log.entries.count == 3 }
        #expect(log.entries.sorted() == ["Ann Bob", "Eve", "true"])
        let targets = server.requests.map { "\($0.method) \($0.target)" }
        #expect(targets.contains("PATCH /v1/users/42?token=d71106a0"))
        #expect(targets.contains("PATCH /v1/users/42?age_gt=20&token=d71106a0"))
        let upload = try #require(server.requests.last { $0.method == .post })
        #expect(try ParsedForm(upload).dispositions.last == #"name="image"; filename="image.png""#)
    }

    @Test("perform() blocks until the response arrives")
    func blocking() async throws {
        server.on(.patch, "/v1/users/42", .json(User(id: "42", name: "Bob")))
        let response = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [api] in
                continuation.resume(returning: DesignPage.blocking(api, User(id: "1", name: "Ann")))
            }
        }
        #expect(response.value?.name == "Bob")
    }

    @Test("the short form returns the decoded list")
    func shortWay() async throws {
        server.on(.get, "/v1/test/fibonacci", .json([0, 1, 1, 2]))
        try await DesignPage.shortWay(api, print)
        #expect(log.entries == ["[0, 1, 1, 2]"])
    }

    @Test("a request without a provider is sent with nothing added")
    func noProvider() async throws {
        server.on(.get, "/api/user/1", .json(User(id: "1", name: "Ann")))
        DesignPage.noProvider(server.baseURL, print)
        try await eventually("it is over") { !log.entries.isEmpty }
        #expect(log.entries[0].hasPrefix("success("))
        let request = try server.request
        #expect(request.target == "/api/user/1" && request.headers["Accept-Language"] == nil)
    }

    @Test("the stub answers through the whole pipeline")
    func stub() async throws {
        let login = Login(token: "t", user: User(id: "1", name: "Ann"))
        let (stub, tested) = DesignPage.tests(login)
        #expect(try await tested.request(.user("1")).object(User.self) == User(id: "1", name: "Ann"))
        let error = await failure { try await tested.request(.login("a", "b")).void() }
        #expect(error == HTTPError.status(503) && error?.response?.headers["Retry-After"] == "2")
        #expect(try await tested.request(.login("a", "b")).object(Login.self).token == "t")
        #expect(stub.requests.map(\.target) == ["/v1/user/1?token=d71106a0", "/v1/login", "/v1/login"])
        #expect(stub.requests.allSatisfy { $0.headers["Accept-Language"] == "en" })
    }
}
