import Foundation
import HalyardEndpoints
import HalyardTesting
import Testing

/// What is wrong with a declaration is known when it is made, and names both sides.
struct EndpointCheckTests {
    private struct User: Codable, Sendable {}

    private struct API: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com/v1")!
        let client: HTTPClient
    }

    @Test("a placeholder that no argument fills, and an argument that nothing takes, are named")
    func unmatched() async throws {
        let endpoint = Endpoint(.get, "/users/{id}/{name}", .path("ident"), .path("name"), returning: User.self)
        let flaw = try #require(endpoint.flaw)
        #expect(flaw.kind == .invalidPath("/users/{id}/{name}"))
        #expect(
            flaw.reason
                == #"no argument fills {id}, and nothing in it is called {ident}, which .path("ident") is to fill"#)
        #expect(flaw.suggestion == #"Give the endpoint .path("id") where the call is to give its value"#)
        let stub = StubTransport()
        let api = API(client: HTTPClient(transport: stub))
        let error = try #require(await #expect(throws: HTTPError.self) { try await api.send(endpoint("1", "2")) })
        #expect(error.kind == flaw.kind && error.reason == flaw.reason)
        #expect(stub.requests.isEmpty)
    }

    @Test("two arguments for one placeholder, and a brace without its partner")
    func twice() {
        let twice = Endpoint(.get, "/users/{id}", .path("id"), .path("id"))
        #expect(twice.flaw?.reason == "two arguments fill {id}")
        #expect(twice.flaw?.suggestion == #"Leave one .path("id")"#)
        let lone = Endpoint(.get, "/users/{id").flaw
        #expect(lone?.reason == "a brace has no partner")
        #expect(lone?.suggestion == "Write {name}, with both braces; a brace of the path's own is %7B or %7D")
        let unused = Endpoint(.get, "/users/{number}/x", .path("number"), .path("id")).flaw
        #expect(unused?.suggestion == "Write {id} in the path where its value is to stand")
        #expect(Endpoint(.get, "/users/{id}/name}", .path("id")).flaw?.reason == "a brace has no partner")
    }

    @Test("two bodies, and fields beside a body")
    func bodies() {
        let two = Endpoint(.post, "/users", .json(User.self), .json(User.self))
        #expect(two.flaw?.kind == .encoding("the body"))
        #expect(two.flaw?.reason == "/users declares 2 bodies")
        let mixed = Endpoint(.post, "/users", .json(User.self), .field("name"))
        #expect(mixed.flaw?.reason == "/users declares a body, and fields or parts beside it")
        #expect(Endpoint(.post, "/users", .json(User.self), .query("name")).flaw == nil)
    }

    @Test("a whole URL is no path")
    func url() {
        let plain = Endpoint(.get, "https://api.example.com/users").flaw
        let filled = Endpoint(.get, "HTTP://h/{id}/", .path("id")).flaw
        for flaw in [plain, filled] {
            #expect(flaw?.reason == "it is a whole URL, where a path is appended to the provider's base URL")
            #expect(flaw?.suggestion == "Write the path alone, or send Route(url:).returning(...)")
        }
    }

    @Test("fields and parts of a GET or a HEAD, unless an encoding says where they go")
    func fields() {
        let (get, head) = (Endpoint(.get, "/users", .field("name")), Endpoint(.head, "/users", .part("image")))
        #expect(get.flaw?.reason == "/users declares fields or parts, and a GET has no body that counts")
        #expect(head.flaw?.suggestion == "Declare .query(...), or another method; with encoding: they go where it says")
        #expect(Endpoint(.get, "/users", .field("name"), encoding: .url).flaw == nil)
        #expect(Endpoint(.get, "/users", .json(User.self)).flaw == nil)
        #expect(Endpoint(.delete, "/users", .field("name")).flaw == nil)
    }

    @Test("a value that is no segment is named by its placeholder")
    func values() async throws {
        let api = API(client: HTTPClient(transport: StubTransport()))
        let list = Endpoint(.get, "/users/{id}", .path("id", as: [Int].self))
        let none = Endpoint(.get, "/users/{id}", .path("id", as: Int?.self))
        for (endpoint, words) in [
            (list([1]), "the value for {id} is a file, a list or an object, which is no single segment"),
            (none(nil), "the value for {id} is nil"),
        ] {
            let error = await #expect(throws: HTTPError.invalidPath("/users/{id}")) { try await api.send(endpoint) }
            #expect(error?.reason == words)
        }
    }

    @Test("a flaw in a log has the method and the path that were declared")
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

    @Test("a sound one has no flaw, and says what it is")
    func sound() {
        let endpoint = Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .json(User.self), returning: User.self)
        #expect(endpoint.flaw == nil)
        #expect("\(endpoint)" == "PUT /users/{id}")
    }
}
