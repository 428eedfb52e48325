import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

// The examples of the article for users of Retrolux, word for word, and more code that the tests run.

private typealias PeopleAPI = RetroluxArticle.PeopleAPI
private typealias Person = RetroluxArticle.Person
private typealias Users = RetroluxArticle.Users

private final class Servers: Sendable {
    private let list: Log<URL>
    init(_ list: Log<URL>) { self.list = list }
    var current: URL { list.entries.last ?? URL(filePath: "/") }
}

private enum RetroluxArticle {
    typealias Show<Value> = @MainActor @Sendable (Value) -> Void

    struct PeopleAPI: HTTPProvider {
        var baseURL = URL(string: "https://my.api.com/")!
        var client = HTTPClient.shared
    }

    enum Users {
        static let all = Endpoint(.get, "users/", returning: [Person].self)
        static let patch = Endpoint(
            .patch, "users/{id}/", .json(Person.self), .path("id"),
            returning: Person.self)
        static let upload = Endpoint(
            .post, "media_upload/{user_id}/", .path("user_id"),
            .part("image", filename: "image.png", contentType: "image/png"),
            returning: JSON.self)
    }

    struct MovingAPI: HTTPProvider {
        let servers: Servers
        var baseURL: URL { servers.current }
        var client = HTTPClient.shared
    }

    struct Person: Mapped, Equatable {
        var desc = "DEFAULT_VALUE"
        var name = ""
        var date = Date.distantPast
        var cached: Int?  // not in the mapping: ignored, both ways

        static let mapping = Mapping<Self>(
            .init(\.desc, "description", .nullable),
            .init(\.name, "name"),
            .init(\.date, "date", using: .iso8601))
    }

    struct Stamp: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws
            -> HTTPResponse
        {
            var request = request
            request.headers["X-Stamp"] = "1"  // requestInterceptor
            var response = try await next.proceed(request)
            if response.status == 404 { response.status = 204 }  // responseInterceptor
            return response
        }
    }

    static func call(
        _ api: PeopleAPI, _ bob: Person, _ png: Data, show: @escaping Show<String>
    ) async throws -> ([Person], String) {
        api.call(Users.patch(bob, "42")).enqueue { response in
            switch response.result {
            case .success(let person): show(person.name)
            case .failure(let error): show("\(error)")
            }
        }
        let people = try await api.send(Users.all())
        let near = try await api.send(Users.find(50, nil))  // users/?distance=50
        let token =
            try await api.send(Users.login("bobby", "abc123"))["token"].string ?? "none"
        try await api.send(Users.upload("9", png))
        try await api.send(Users.delete("7"))
        return (people + near, token)
    }

    static func transfers(
        _ api: PeopleAPI, _ png: Data, _ place: URL, show: @escaping Show<String>
    ) async throws -> URL {
        try await api.request(Users.upload("9", png)).uploadProgress {
            show("\($0.fraction ?? 0)")
        }.void()
        let saved = try await api.request(Users.all()).download(to: place)
        return saved
    }

    static func script(_ api: PeopleAPI, show: @escaping @Sendable (Int) -> Void) -> [Person]? {
        let call = api.call(Users.all())
        let response = call.perform()  // blocks
        call.enqueue(on: .global()) { response in show(response.body?.count ?? 0) }
        call.cancel()  // ends the requests of the call
        return response.body
    }

    static func dry(_ api: PeopleAPI, _ bob: Person) async throws -> Person {
        let rename = Endpoint(
            .put, "users/{id}/", .path("id"), .json(Person.self), returning: Person.self
        ) { _, new in
            .json(new)
        }
        let echo = try await api.dry().send(rename("42", bob))
        return echo
    }

    static func stub(_ bob: Person) -> PeopleAPI {
        let stub = StubTransport().on(.get, "/users/", .json([bob]), .status(503))
        let stubbed = PeopleAPI(client: HTTPClient(transport: stub))
        return stubbed
    }
}

extension RetroluxArticle.Users {
    static let delete = Endpoint(.delete, "users/{id}/", .path("id"))
    fileprivate static let find = Endpoint(
        .get, "users/", .query("distance", as: Int.self),
        .query("age_gt", as: Int?.self), returning: [Person].self)
    static let login = Endpoint(
        .post, "login/", .field("username"), .field("password"),
        encoding: .form, returning: JSON.self)
}

@Suite(.timeLimit(.minutes(3)))
struct ComingFromRetroluxTests {
    private let log = Log<String>()
    private let bob = Person(name: "Bob", date: Date(timeIntervalSince1970: 0))
    private let server: LoopbackServer
    private let api: PeopleAPI

    init() throws {
        server = try .accepting()
        server.on(.get, "/users/", .json([bob])).on(.patch, "/users/42/", .json(bob))
            .on(.post, "/login/", .json(["token": "t"])).on(.post, "/media_upload/9/", .json(["ok": true]))
        api = PeopleAPI(baseURL: server.baseURL)
    }

    private var lines: [String] { server.requests.map { "\($0.method) \($0.target) \($0.text)" } }

    @Test("the endpoints send what they declare")
    func call() async throws {
        let (people, token) = try await RetroluxArticle.call(api, bob, Data("png".utf8)) { log.add($0) }
        #expect(people == [bob, bob] && token == "t")
        try await eventually("the handler is called") { log.entries == ["Bob"] }
        let json = #"{"date":"1970-01-01T00:00:00Z","description":"DEFAULT_VALUE","name":"Bob"}"#
        let expected = [
            "PATCH /users/42/ \(json)", "GET /users/ ", "GET /users/?distance=50 ",
            "POST /login/ username=bobby&password=abc123", "DELETE /users/7/ ",
        ]
        #expect(Set(expected).isSubset(of: lines))
        let upload = try #require(server.requests.first { $0.path == "/media_upload/9/" })
        #expect(try ParsedForm(upload).dispositions == [#"name="image"; filename="image.png""#])
        #expect(
            Users.patch.declarationError == nil && Users.upload.declarationError == nil
                && Users.find.declarationError == nil)
    }

    @Test("an endpoint's request reports progress, or downloads to a file")
    func transfers() async throws {
        let folder = try TemporaryFolder()
        let saved = try await RetroluxArticle.transfers(api, Data("png".utf8), folder.file("users")) { log.add($0) }
        #expect(try String(contentsOf: saved, encoding: .utf8).contains("Bob") && log.entries.last == "1.0")
    }

    @Test("a call blocks, and starts again where the base is now")
    func script() async throws {
        let people = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [api] in continuation.resume(returning: RetroluxArticle.script(api) { _ in }) }
        }
        #expect(people == [bob])

        let stub = StubTransport().on(.get, "/*", .json([bob]))
        let bases = Log<URL>()
        let moving = RetroluxArticle.MovingAPI(servers: Servers(bases), client: HTTPClient(transport: stub))
        let call = moving.call(Users.all())
        for base in ["https://example.com/a", "https://example.com/b"] {
            bases.add(try #require(URL(string: base)))
            #expect(try await call.value() == [bob])
        }
        #expect(stub.requests.map(\.target) == ["/a/users/", "/b/users/"])
    }

    @Test("a null keeps the default, and a property that is not in the mapping is ignored")
    func models() async throws {
        let text = #"{"description":null,"name":"Eve","date":"2017-04-17T14:02:04.142Z","cached":1}"#
        server.on(.get, "/users/", .json(text: "[\(text)]"))
        let eve = try #require(try await api.send(Users.all()).first)
        #expect(eve.desc == "DEFAULT_VALUE" && eve.name == "Eve" && eve.cached == nil)
        #expect(abs(eve.date.timeIntervalSince1970 - 1_492_437_724.142) < 0.001)
    }

    @Test("an interceptor changes requests and responses, also in dry mode")
    func interceptors() async throws {
        server.on(.delete, "/users/7/", .status(404))
        let client = HTTPClient(interceptors: [RetroluxArticle.Stamp()])
        try await PeopleAPI(baseURL: server.baseURL, client: client).send(Users.delete("7"))
        #expect(server.requests.last?.headers["X-Stamp"] == "1")
    }

    @Test("dry mode answers from the call's values, a stub in turn")
    func dry() async throws {
        #expect(try await RetroluxArticle.dry(api, bob) == bob)
        #expect(server.requests.isEmpty)
        let stubbed = RetroluxArticle.stub(bob)
        #expect(try await stubbed.send(Users.all()) == [bob])
        await #expect(throws: HTTPError.status(503)) { try await stubbed.send(Users.all()) }
    }
}
