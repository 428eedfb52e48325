import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The examples of the article for users of Alamofire, word for word.

struct NotesAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var token = ""
    var client = HTTPClient.shared
    var additionalHeaders: [String: String] {
        ["Authorization": "Bearer \(token)"]
    }
    // JSONParameterEncoder(encoder:), decoder:
    let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
}

extension Route {
    static func add(_ note: Note) -> Route {
        Route(path: "/notes", method: .post, body: .json(note))
    }
    static func notes(_ tags: [String], isDone: Bool?) -> Route {
        Route(path: "/notes", params: ["tags": tags, "done": isDone])
    }
}

struct Note: Codable, Sendable, Equatable {
    var text: String
    var dueAt: Date?
}

private struct WrongType: Error, Equatable {
    let type: String
    init(_ type: String) { self.type = type }
}

private actor TokenStore {
    var token = "old"
    func refresh() throws -> String {
        token = "new"
        return token
    }
}

extension NotesAPI {
    func validate(_ response: HTTPResponse) async throws {
        try response.requireSuccess()
        if let type = response.mediaType, type != "application/json" {
            throw WrongType(type)
        }
    }
}

private typealias Show<Value> = @MainActor @Sendable (Value?) -> Void

private enum AlamofireArticle {
    struct Refreshing: Interceptor {
        let session: TokenStore

        func intercept(_ request: HTTPRequest, next: Chain) async throws
            -> HTTPResponse
        {
            guard request.origin.host == "api.example.com" else {
                return try await next.proceed(request)
            }
            var request = request
            request.headers[.authorization] = "Bearer \(await session.token)"
            let response = try await next.proceed(request)
            guard response.status == 401 else { return response }
            request.headers[.authorization] =
                "Bearer \(try await session.refresh())"
            return try await next.proceed(request)
        }
    }

    static func add(_ api: NotesAPI, _ note: Note, show: @escaping Show<Note>) async throws -> Note {
        api.request(.add(note)).responseObject(of: Note.self) { response in
            show(response.value)
        }
        api.request(.add(note)).responseValue(.data, on: .global()) { response in
            print(response.status ?? 0)
        }
        let saved = try await api.request(.add(note)).object(Note.self)
        return saved
    }

    static func errors(_ api: NotesAPI, _ note: Note, show: (Note?) -> Void) async throws {
        do {
            try await api.request(.add(note)).void()
        } catch HTTPError.status(404) {
            show(nil)
        } catch let error as HTTPError {
            print(error.status ?? 0, error.response?.text ?? "", error.cause ?? error)
        }
    }

    static func client(
        _ api: NotesAPI, _ note: Note, _ session: TokenStore, meter: @escaping @Sendable (Duration) -> Void
    ) throws -> (HTTPClient, String) {
        let client = HTTPClient(
            interceptors: [Refreshing(session: session)],
            log: .custom { event in
                if event.kind == .metrics { meter(event.metrics?.total ?? .zero) }
                if event.kind == .failed { print(event) }
            })
        // cURLDescription, without secrets
        let line = try api.prepare(.add(note)).curlCommand()
        return (client, line)
    }

    static func transfers(
        _ api: NotesAPI, _ file: URL, _ place: URL, show: @escaping Show<Double>, print: (String) -> Void
    ) async throws -> URL {
        let picture = Route(
            path: "/pictures", method: .post, multipart: [.file(file, name: "image")])
        try await api.request(picture).uploadProgress { progress in
            show(progress.fraction)
        }.void()
        let dump = try await api.request(Route(path: "/dump")).download(to: place)
        for try await line in api.request(Route(path: "/events")).lines { print(line) }
        return dump
    }

    static func time(_ api: NotesAPI) throws -> (Request, Route, NotesAPI) {
        let route = Route(path: "/notes").timeout(.seconds(5))
            .redirects(.follow(limit: 3)).retry(.upTo(attempts: 3))
        let request = api.request(route).start()
        request.cancel()
        var engine = EngineConfiguration(connectionsPerHost: 6)
        engine.tls.pins["api.example.com"] = [
            "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
        ]
        let pinned = NotesAPI(
            client: HTTPClient(
                engine: engine, configuration: .init(timeout: .seconds(30))))
        return (request, route, pinned)
    }

    static func stub(_ note: Note) -> (StubTransport, NotesAPI) {
        let stub = StubTransport()
            .on(.post, "/notes", .json(note, mapper: NotesAPI().mapper), .status(401))
        let api = NotesAPI(client: HTTPClient(transport: stub))
        return (stub, api)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct ComingFromAlamofireTests {
    private let log = Log<String>()
    private let note = Note(text: "buy rope", dueAt: Date(timeIntervalSince1970: 0))
    private let server: LoopbackServer
    private let api: NotesAPI

    init() throws {
        server = try .accepting()
        api = NotesAPI(baseURL: server.baseURL, token: "t0k3n")
    }

    @Test("a note is sent and read by the provider's mapper, by three readers")
    func adding() async throws {
        let json: JSON = ["due_at": "1970-01-01T00:00:00Z", "text": "buy rope"]
        server.on(.post, "/notes", .json(json))
        #expect(try await AlamofireArticle.add(api, note) { log.add($0?.text ?? "none") } == note)
        try await eventually("all are sent") { server.requests.count == 3 && !log.entries.isEmpty }
        #expect(log.entries == ["buy rope"])
        #expect(try server.requests.allSatisfy { try $0.json() == json })
        #expect(server.requests[0].headers[.authorization] == "Bearer t0k3n")
        try await api.request(.notes(["a", "b"], isDone: nil)).void()
        #expect(server.requests.last?.target == "/notes?tags=a&tags=b")
    }

    @Test("a stub responds; validate rejects a body that is not JSON, and a status")
    func validation() async throws {
        let (stub, api) = AlamofireArticle.stub(note)
        #expect(try await api.request(.add(note)).object(Note.self) == note)
        await #expect(throws: HTTPError.status(401)) { try await api.request(.add(note)).void() }
        stub.on(.post, "/notes", .text("hello"), .status(404), .status(500))
        await #expect(throws: WrongType("text/plain")) { try await api.request(.add(note)).void() }
        var shown = 0
        try await AlamofireArticle.errors(api, note) { _ in shown += 1 }
        try await AlamofireArticle.errors(api, note) { _ in shown += 1 }
        #expect(shown == 1 && stub.requests.count == 5)
    }

    @Test("a 401 renews the token and sends the request again; the monitor gets the duration")
    func interceptors() async throws {
        let times = Log<Duration>()
        let (client, line) = try AlamofireArticle.client(api, note, TokenStore()) { times.add($0) }
        #expect(line.contains("Bearer ***") && line.contains("buy rope") && !line.contains("t0k3n"))

        let seen = Log<String>()
        let stub = StubTransport().on(.post, "/notes") { request in
            seen.add(request.headers[.authorization] ?? "none")
            return .status(request.headers[.authorization] == "Bearer new" ? 204 : 401)
        }
        let stubbed = HTTPClient(transport: stub, interceptors: client.interceptors)
        try await NotesAPI(client: stubbed).request(.add(note)).void()
        #expect(seen.entries == ["Bearer old", "Bearer new"])
        try await NotesAPI(baseURL: server.baseURL, client: client).request(.add(note)).void()
        #expect(times.entries.count == 1)
    }

    @Test("a file is uploaded, and a body is downloaded as a file and as lines")
    func transfers() async throws {
        let folder = try TemporaryFolder()
        let json = "application/json"
        server.on(.get, "/dump", .data(Data("all".utf8), contentType: json))
            .on(.get, "/events", .data(Data("one\ntwo".utf8), contentType: json))
        let file = try folder.write("a picture", to: "me.png")
        let fractions = Log<Double?>()
        let dump = try await AlamofireArticle.transfers(
            api, file, folder.file("new/dump"), show: { fractions.add($0) }, print: { log.add($0) })
        #expect(try String(contentsOf: dump, encoding: .utf8) == "all")
        #expect(log.entries == ["one", "two"] && fractions.entries.last == 1.0)
        let form = try ParsedForm(server.requests[0])
        #expect(form.dispositions == [#"name="image"; filename="me.png""#])
    }

    @Test("a cancelled request has an error of that kind; a GET with a retry policy is sent again, a POST is not")
    func time() async throws {
        server.on(.get, "/notes", .text("").stalling())
        let (request, route, pinned) = try AlamofireArticle.time(NotesAPI(baseURL: server.baseURL))
        await #expect(throws: HTTPError.cancelled) { try await request.void() }
        #expect(pinned.client.configuration.timeout == .seconds(30))

        let stub = StubTransport().on(.get, "/notes", .status(503, retryAfter: 0), .json(["x": 1]))
            .on(.post, "/notes", .status(503, retryAfter: 0), .json(["x": 1]))
        let api = NotesAPI(client: HTTPClient(transport: stub))
        #expect(route.options.timeout == .seconds(5))
        var patient = route
        patient.options.timeout = nil  // a thousand tests may run beside this one
        #expect(try await api.request(patient).response().sendCount == 2)
        var post = patient
        post.method = .post
        await #expect(throws: HTTPError.status(503)) { try await api.request(post).void() }
    }

    @Test("parameters differ from Alamofire's as the table describes")
    func parameters() async throws {
        let params: Parameters = ["z": true, "at": Date(timeIntervalSince1970: 1), "tags": ["a", "b"]]
        for method in [HTTPMethod.get, .post, .patch] {
            try await api.request(Route(path: "/p", method: method, params: params)).void()
        }
        #expect(
            server.requests.map { "\($0.method) \($0.target) \($0.text)" } == [
                "GET /p?z=true&at=1000&tags=a&tags=b ", #"POST /p {"z":true,"at":1000,"tags":["a","b"]}"#,
                #"PATCH /p {"z":true,"at":1000,"tags":["a","b"]}"#,
            ])
    }
}
