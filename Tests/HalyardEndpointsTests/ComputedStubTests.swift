import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Stubs of routes and endpoints that compute their response.
struct ComputedStubTests {
    private let find = Endpoint(.get, "/users/{id}", .path("id"), returning: User.self)

    @Test("an endpoint's stub receives its path parameters and may fail")
    func endpoint() async throws {
        let stub = StubTransport().on(find, where: [.noQuery("x")], times: 2) { request in
            guard let id = request.pathParameters["id"], id != "0" else { throw HTTPError.timedOut }
            return .json(User(id: id, name: "Ann"))
        }
        let api = TestAPI(stub)
        #expect(try await api.send(find("7")).id == "7")
        #expect(await failure { try await api.send(find("0")) }?.kind == .timedOut)
        try stub.verify()
    }

    @Test("a route's stub computes its response from the body")
    func route() async throws {
        let add = Route(path: "/users", method: .post, body: .json(["name": "Ann"]))
        let stub = StubTransport().on(add) { request in .json(["name": try request.json()["name"], "isNew": true]) }
        let json = try await TestAPI(stub).request(add).json()
        #expect(json == ["name": "Ann", "isNew": true])
    }
}
