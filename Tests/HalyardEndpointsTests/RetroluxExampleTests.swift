import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// The examples of Retrolux's README, written with Halyard. Two more are with the tests of logging and of models.
@Suite(.timeLimit(.minutes(3)))
struct RetroluxExampleTests {
    struct Person: Codable, Sendable, Equatable {
        var id: String?
        var name = ""
        var age = 0
    }

    struct Session: Codable, Sendable, Equatable { var token, user_id: String }
    struct Owner: Codable, Sendable, Equatable {
        var id: String
        var image_url: URL?
    }
    struct Credentials: Codable, Sendable, Equatable { var username, password: String }
    struct Echo: Codable, Sendable, Equatable { var id, token, username: String }

    struct MyAPI: HTTPProvider {
        let baseURL: URL
    }

    enum API {
        static let getUsers = Endpoint(.get, "users/", returning: [Person].self)
        static let createUser = Endpoint(.post, "users/", .json(Person.self), returning: Person.self)
        static let patchUser = Endpoint(.patch, "users/{id}/", .json(Person.self), .path("id"), returning: Person.self)
        static let deleteUser = Endpoint(.delete, "users/{id}/", .path("id"))
        static let login = Endpoint(
            .post, "login/", .field("username"), .field("password"), encoding: .multipart, returning: Session.self)
        static let uploadImage = Endpoint(
            .post, "media_upload/{user_id}/", .path("user_id"),
            .part("image", filename: "image.png", contentType: "image/png"), returning: Owner.self)
        static let formLogin = Endpoint(
            .post, "login", .field("username"), .field("password"), encoding: .form, returning: Session.self)
        static let find = Endpoint(
            .get, "users/", .query("distance", as: Int.self), .query("age_gt", as: Int?.self), returning: [Person].self)
        static let exchange = Endpoint(.post, "login/", .json(JSON.self), returning: JSON.self)
        static let dryLogin = Endpoint(.post, "login/", .json(Credentials.self), returning: Echo.self) { credentials in
            .json(Echo(id: "qs492s37", token: "0s98q3wj5s5", username: credentials.username))
        }
        static let something = Endpoint(.get, "something")
    }

    private let server: LoopbackServer
    private let api: MyAPI

    init() throws {
        server = try LoopbackServer()
        api = MyAPI(baseURL: server.baseURL)
    }

    private func enqueued<Output>(_ call: Call<Output>) async -> Response<Output> {
        await withCheckedContinuation { continuation in call.enqueue { continuation.resume(returning: $0) } }
    }

    @Test("a call returns a list of models", .examples("R1"), .defects("BR27"))
    func list() async throws {
        server.on(.get, "/users/", .json([Person(name: "Bob", age: 3)]), .status(500))
        #expect(try await enqueued(api.call(API.getUsers())).result.get() == [Person(name: "Bob", age: 3)])
        guard case .failure(let error) = await enqueued(api.call(API.getUsers())).result else {
            Issue.record("a 500 is a failure")
            return
        }
        #expect(error == HTTPError.status(500))
    }

    @Test("a model is sent with POST", .examples("R2"))
    func create() async throws {
        let bob = Person(name: "Bob", age: 3)
        server.on(.post, "/users/", .json(bob))
        let response = await enqueued(api.call(API.createUser(bob)))
        #expect(response.isSuccessful && response.body == bob)
        #expect(try server.wire == #"POST /users/ {"age":3,"name":"Bob"}"#)
    }

    @Test("a model is sent with PATCH, with its ID in the path", .examples("R3"))
    func patch() async throws {
        let bob = Person(id: "42", name: "Bob", age: 3)
        server.on(.patch, "/users/42/", .json(bob))
        #expect(await enqueued(api.call(API.patchUser(bob, "42"))).body == bob)
        #expect(try server.wire == #"PATCH /users/42/ {"age":3,"id":"42","name":"Bob"}"#)
    }

    @Test("DELETE accepts a response without a body", .examples("R4"))
    func delete() async throws {
        server.on(.delete, "/users/7/", .status(204))
        #expect(await enqueued(api.call(API.deleteUser("7"))).isSuccessful)
    }

    @Test("the fields of a multipart form are sent", .examples("R5"))
    func login() async throws {
        server.on(.post, "/login/", .json(Session(token: "t", user_id: "1")))
        #expect(await enqueued(api.call(API.login("bobby", "abc123"))).body?.token == "t")
        let form = try ParsedForm(try server.request)
        #expect(form.dispositions == [#"name="username""#, #"name="password""#])
        #expect(form.texts == ["bobby", "abc123"])
    }

    @Test("an image is uploaded", .examples("R6"))
    func upload() async throws {
        let image = URL(string: "https://example.com/9.png")
        server.on(.post, "/media_upload/9/", .json(Owner(id: "9", image_url: image)))
        let png = Data([0x89, 0x50, 0x4E, 0x47])
        #expect(await enqueued(api.call(API.uploadImage("9", png))).body?.image_url == image)
        let part = try #require(try ParsedForm(try server.request).parts.first)
        #expect(part.disposition == #"name="image"; filename="image.png""#)
        #expect(part.contentType == "image/png" && part.body == png)
    }

    @Test("a login is sent URL-encoded", .examples("R7", "R8"))
    func formLogin() async throws {
        server.on(.post, "/login", .json(Session(token: "t", user_id: "1")))
        #expect(await enqueued(api.call(API.formLogin("bobby", "abc&123"))).body?.user_id == "1")
        #expect(try server.wire == "POST /login username=bobby&password=abc%26123")
        #expect(try server.request.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("a nil query argument is omitted", .examples("R9"))
    func find() async throws {
        server.on(.get, "/users/", .json([Person]()))
        #expect(await enqueued(api.call(API.find(50, 20))).body == [])
        #expect(try server.wire == "GET /users/?distance=50&age_gt=20 ")
        #expect(await enqueued(api.call(API.find(50, nil))).body == [])
        #expect(try server.wire == "GET /users/?distance=50 ")
    }

    // Examples R10 and R11 define and use a serializer for another library's JSON type. Halyard supports JSON directly.
    // A custom serializer is in SerializerTests, row 124.
    @Test("JSON is sent and received without custom types", .examples("R10", "R11"))
    func json() async throws {
        server.on(.post, "/login/", .json(text: #"{"id":"qs492s37","token":"0s98q3wj5s5"}"#))
        let response = await enqueued(api.call(API.exchange(["username": "bobby", "password": "abc123"])))
        #expect(response.body?["id"].string == "qs492s37" && response.body?["token"].string == "0s98q3wj5s5")
        #expect(try server.wire == #"POST /login/ {"username":"bobby","password":"abc123"}"#)
    }

    @Test("dry mode responds with the values of the call", .examples("R12"))
    func dry() async throws {
        let bobby = Credentials(username: "bobby", password: "impenetrable")
        let response = await api.dry().call(API.dryLogin(bobby)).response()
        #expect(response.isSuccessful)
        #expect(response.body == Echo(id: "qs492s37", token: "0s98q3wj5s5", username: "bobby"))
        #expect(server.requests.isEmpty)
    }

    @Test("the base URL is read when a call starts", .examples("R13"))
    func base() async throws {
        final class Mutable: HTTPProvider {
            private let base: Lock<URL>
            init(_ url: URL) { base = Lock(url) }
            var baseURL: URL {
                get { base.withLock { $0 } }
                set { base.withLock { $0 = newValue } }
            }
        }
        server.on(.get, "/*", .status(200))
        let mutable = Mutable(server.baseURL.appending(path: "first"))
        let call = mutable.call(API.something())
        #expect(await enqueued(call).request?.url == server.baseURL.appending(path: "first/something"))
        mutable.baseURL = server.baseURL.appending(path: "else")
        #expect(await enqueued(call).request?.url == server.baseURL.appending(path: "else/something"))
    }
}
