import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// How arrays are encoded if only the provider sets the style: in queries, forms and multipart forms.
@Suite(.timeLimit(.minutes(3)))
struct ArrayStyleTests {
    typealias ArrayStyle = ParameterEncoding.ArrayStyle

    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.accepting() }

    private func api(_ style: ArrayStyle) -> TestAPI {
        TestAPI(server).with(\.encodings, [.get: .url(arrays: style), .put: .form(arrays: style)])
    }

    private static let styles: [(ArrayStyle, String)] = [
        (.repeated, "n=1&n=2"), (.brackets, "n%5B%5D=1&n%5B%5D=2"), (.indexed, "n%5B0%5D=1&n%5B1%5D=2"),
        (.commas, "n=1,2"),
    ]

    @Test("lists in an endpoint's .query use the provider's array style, like those of a route", arguments: styles)
    func queries(style: ArrayStyle, text: String) async throws {
        let api = api(style)
        let (one, free) = (Endpoint(.get, "/q", .query("n", as: [Int].self)), Endpoint(.get, "/q", .queries))
        try await api.send(one([1, 2]))
        try await api.send(free(["n": [1, 2]]))
        try await api.request(Route(path: "/q", params: ["n": [1, 2]])).void()
        #expect(server.requests.map(\.target) == Array(repeating: "/api/q?\(text)", count: 3))
    }

    @Test("the query beside a body uses the array style of its method, or GET's if the method writes JSON")
    func besideBody() async throws {
        let api = api(.brackets).with(
            \.encodings, [.get: .url(arrays: .brackets), .put: .form(arrays: .commas)])
        for method in [HTTPMethod.post, .put] {
            let send = Endpoint(method, "/q", .query("n", as: [Int].self), .body)
            try await api.send(send([1, 2], .text("x")))
            try await api.request(
                Route(path: "/q", method: method, params: ["n": [1, 2]], body: .text("x"))
            ).void()
        }
        #expect(
            server.requests.map(\.target)
                == ["/api/q?n%5B%5D=1&n%5B%5D=2", "/api/q?n%5B%5D=1&n%5B%5D=2", "/api/q?n=1,2", "/api/q?n=1,2"])
    }

    @Test("an endpoint's encoding takes precedence over the provider's; JSON does not change the array style")
    func own() async throws {
        let api = api(.brackets)
        let own = Endpoint(.get, "/q", .query("n", as: [Int].self), encoding: .url(arrays: .commas))
        try await api.send(own([1, 2]))
        let json = Endpoint(
            .post, "/q", .query("n", as: [Int].self), .field("m", as: [Int].self), encoding: .json)
        try await api.send(json([1, 2], [3, 4]))
        #expect(server.requests.map(\.target) == ["/api/q?n=1,2", "/api/q?n%5B%5D=1&n%5B%5D=2"])
        #expect(server.requests.last?.text == #"{"m":[3,4]}"#)
    }

    @Test("lists in a multipart form use the provider's array style", arguments: [HTTPMethod.put, .post])
    func forms(method: HTTPMethod) async throws {
        let api = api(.brackets)
        let upload = Endpoint(
            method, "/f", .field("n", as: [Int].self), .part("file", as: Data.self, filename: "a"), .field("last"))
        try await api.send(upload([1, 2], Data([1]), "x"))
        let route = Route(
            path: "/f", method: method, params: ["n": [1, 2]],
            multipart: [.data(Data([1]), name: "file", filename: "a"), .text("x", name: "last")])
        try await api.request(route).void()
        for request in server.requests {
            let form = try ParsedForm(request)
            #expect(
                form.dispositions
                    == [#"name="n[]""#, #"name="n[]""#, #"name="file"; filename="a""#, #"name="last""#])
        }
        #expect(server.requests.count == 2)
    }

    @Test("the error for a field that cannot be written in a multipart form names the field")
    func unwritable() async throws {
        let upload = Endpoint(.post, "/f", .field("n", as: Double.self), .part("file", as: Data.self))
        let error = await failure { try await api(.brackets).send(upload(.nan, Data([1]))) }
        #expect(error?.kind == .encoding("n"))
        #expect(server.requests.isEmpty)
    }
}
