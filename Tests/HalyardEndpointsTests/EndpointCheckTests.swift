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
        #expect(Endpoint(.get, "/users/{id").flaw?.reason == "a brace has no partner")
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

    @Test("a sound one has no flaw, and says what it is")
    func sound() {
        let endpoint = Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .json(User.self), returning: User.self)
        #expect(endpoint.flaw == nil)
        #expect("\(endpoint)" == "PUT /users/{id}")
    }
}
