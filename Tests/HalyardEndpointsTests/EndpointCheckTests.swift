import Foundation
import HalyardEndpoints
import HalyardTesting
import Testing

/// An invalid declaration is an error when the endpoint is created. The error names both parts that do not match.
struct EndpointCheckTests {
    private struct User: Codable, Sendable {}

    private struct API: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com/v1")!
        let client: HTTPClient
    }

    @Test("the error names a placeholder without an argument and an argument without a placeholder")
    func unmatched() async throws {
        let endpoint = Endpoint(.get, "/users/{id}/{name}", .path("ident"), .path("name"), returning: User.self)
        let declared = try #require(endpoint.declarationError)
        #expect(declared.kind == .invalidPath("/users/{id}/{name}"))
        #expect(
            declared.reason
                == #"no argument fills {id}, and it has no placeholder {ident} for .path("ident")"#)
        #expect(declared.suggestion == #"Add .path("id") to the endpoint's arguments"#)
        let stub = StubTransport()
        let api = API(client: HTTPClient(transport: stub))
        let error = try #require(await #expect(throws: HTTPError.self) { try await api.send(endpoint("1", "2")) })
        #expect(error.kind == declared.kind && error.reason == declared.reason)
        #expect(stub.requests.isEmpty)
    }

    @Test("two arguments for one placeholder, or an unmatched brace, fail")
    func twice() {
        let twice = Endpoint(.get, "/users/{id}", .path("id"), .path("id"))
        #expect(twice.declarationError?.reason == "two arguments fill {id}")
        #expect(twice.declarationError?.suggestion == #"Remove all but one .path("id")"#)
        let lone = Endpoint(.get, "/users/{id").declarationError
        #expect(lone?.reason == "a brace is not matched")
        #expect(lone?.suggestion == "Write a placeholder as {name}. Escape a literal brace as %7B or %7D")
        let unused = Endpoint(.get, "/users/{number}/x", .path("number"), .path("id")).declarationError
        #expect(unused?.suggestion == "Add {id} to the path")
        #expect(Endpoint(.get, "/users/{id}/name}", .path("id")).declarationError?.reason == "a brace is not matched")
    }

    @Test("two bodies, or a body with fields, fail")
    func bodies() {
        let two = Endpoint(.post, "/users", .json(User.self), .json(User.self))
        #expect(two.declarationError?.kind == .encoding("the body"))
        #expect(two.declarationError?.reason == "/users declares 2 bodies")
        let mixed = Endpoint(.post, "/users", .json(User.self), .field("name"))
        #expect(mixed.declarationError?.reason == "/users declares a body as well as fields or parts")
        #expect(Endpoint(.post, "/users", .json(User.self), .query("name")).declarationError == nil)
    }

    @Test("a full URL is not accepted as a path")
    func url() {
        let plain = Endpoint(.get, "https://api.example.com/users").declarationError
        let filled = Endpoint(.get, "HTTP://h/{id}/", .path("id")).declarationError
        for error in [plain, filled] {
            #expect(error?.reason == "it is an absolute URL, but must be a path below the provider's base URL")
            #expect(error?.suggestion == "Pass only the path, or send Route(url:).returning(...)")
        }
    }

    @Test("fields and parts of a GET or HEAD fail without an encoding for them")
    func fields() {
        let (get, head) = (Endpoint(.get, "/users", .field("name")), Endpoint(.head, "/users", .part("image")))
        #expect(get.declarationError?.reason == "/users declares fields or parts, but the body of a GET has no meaning")
        #expect(
            head.declarationError?.suggestion
                == "Declare .query(...), use another method, or set the encoding")
        #expect(Endpoint(.get, "/users", .field("name"), encoding: .url).declarationError == nil)
        #expect(Endpoint(.get, "/users", .json(User.self)).declarationError == nil)
        #expect(Endpoint(.delete, "/users", .field("name")).declarationError == nil)
    }

    @Test("a value that cannot be a segment is named by its placeholder")
    func values() async throws {
        let api = API(client: HTTPClient(transport: StubTransport()))
        let list = Endpoint(.get, "/users/{id}", .path("id", as: [Int].self))
        let none = Endpoint(.get, "/users/{id}", .path("id", as: Int?.self))
        for (endpoint, words) in [
            (list([1]), "the value for {id} is a file, a list or an object, which is not a single segment"),
            (none(nil), "the value for {id} is nil"),
        ] {
            let error = await #expect(throws: HTTPError(.invalidPath("/users/{id}"))) { try await api.send(endpoint) }
            #expect(error?.reason == words)
        }
    }

    @Test("the declaration error in a log shows the method and path as declared")
    func logged() async throws {
        let lines = Lock<[String]>([])
        let log = EventLog.custom { event in lines.withLock { $0.append("\(event)") } }
        let api = API(client: HTTPClient(transport: StubTransport(), log: log))
        let flawed = Endpoint(.get, "/users/{number}/x", .path("id"))
        _ = try? await api.send(flawed("3"))
        _ = try? await api.request(Route(path: "/x?token=s3cret", method: .post, body: .file(URL(filePath: "/none"))))
            .void()
        let all = lines.withLock { $0 }
        #expect(all.count == 2)
        #expect(all.first?.hasPrefix("✗ GET /users/{number}/x: The path ") == true)
        #expect(all.last?.hasPrefix("✗ POST /x: The file ") == true)
    }

    @Test("a valid endpoint has no declaration error and is described by its declaration")
    func sound() {
        let endpoint = Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .json(User.self), returning: User.self)
        #expect(endpoint.declarationError == nil)
        #expect("\(endpoint)" == "PUT /users/{id}")
    }
}
