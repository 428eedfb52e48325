import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Stubs by condition, by route and by endpoint.
@Suite(.timeLimit(.minutes(3)))
struct StubConditionTests {
    private struct API: HTTPProvider {
        let baseURL = URL.example
        let client: HTTPClient
        init(_ stub: StubTransport) { client = HTTPClient(transport: stub) }
    }

    private struct User: Codable, Sendable, Equatable { var id: String, name: String }

    private enum Users {
        static let find = Endpoint(.get, "/users/{id}", .path("id"), returning: User.self)
        static let motto = Endpoint(.get, "/users/{id}/motto", .path("id"), returning: String.self)
        static let picture = Endpoint(.get, "/users/{id}/picture", .path("id"), returning: Data.self)
        static let remove = Endpoint(.delete, "/users/{id}", .path("id"))
    }

    @Test func `conditions select among stubs for one path`() async throws {
        let stub = StubTransport()
            .on(.get, "/users", .text("any"))
            .on(.get, "/users", where: [.query("page", "2")], .text("second"))
            .on(.get, "/users", where: [.query("page", "2"), .header("accept", "text/x")], .text("second as x"))
            .on(.get, "/users", where: [.noQuery("page"), .header("Accept", "text/x")], .text("first as x"))
        let api = API(stub)
        func text(_ params: Parameters, _ headers: HTTPHeaders = [:]) async throws -> String {
            try await api.request(Route(path: "/users", params: params, headers: headers)).text()
        }
        #expect(try await text([:]) == "any")
        #expect(try await text(["page": 2]) == "second")
        #expect(try await text(["page": 3]) == "any")
        #expect(try await text(["page": 2], ["Accept": "text/x"]) == "second as x")
        #expect(try await text([:], ["Accept": "text/x"]) == "first as x")
    }

    @Test func `conditions that differ only in a secret make two stubs`() async throws {
        let stub = StubTransport()
            .on(.get, "/me", where: [.header("Authorization", "Bearer old")], .text("old"))
            .on(.get, "/me", where: [.header("Authorization", "Bearer new")], .text("new"))
            .on(.post, "/me", where: [.json("1234", at: "pin")], .text("right"))
            .on(.post, "/me", where: [.json("9999", at: "pin")], .text("wrong"))
        let api = API(stub)
        for token in ["old", "new"] {
            let route = Route(path: "/me", headers: ["Authorization": "Bearer \(token)"])
            #expect(try await api.request(route).text() == token)
        }
        let route = Route(path: "/me", method: .post, params: ["pin": "1234"])
        #expect(try await api.request(route).text() == "right")
    }

    @Test func `conditions can examine the body`() async throws {
        let stub = StubTransport()
            .on(.post, "/a", where: [.json("Ann", at: "user.names.0")], .text("Ann"))
            .on(.post, "/a", where: [.json(["b": 1, "a": [true, nil]])], .text("whole"))
            .on(.post, "/a", where: [.form("full name", "Bob & Co")], .text("Bob"))
            .on(.post, "/a", where: [.body(containing: "<x>")], .text("x"))
            .on(.post, "/a", where: [.matching("it has five bytes") { $0.body.count == 5 }], .text("five"))
        let api = API(stub)
        func text(_ body: String) async throws -> String {
            try await api.request(Route(path: "/a", method: .post, body: .text(body))).text()
        }
        #expect(try await text(#"{"user":{"names":["Ann","Bob"]}}"#) == "Ann")
        #expect(try await text(#"{"a":[true,null],"b":1}"#) == "whole")
        #expect(try await text("full+name=Bob+%26+Co") == "Bob")
        #expect(try await text("a <x> b") == "x")
        #expect(try await text("12345") == "five")
    }

    @Test func `the error for an unmatched request says what differs`() async throws {
        let stub = StubTransport()
            .on(.post, "/search", where: [.json(2, at: "page"), .query("lang", "en")], .text(""))
            .on(.get, "/searches", .text(""))
            .on(.post, "/search", where: [.header("X-Api-Key", "k-1234")], .text(""))
        let error = await #expect(throws: HTTPError.self) {
            try await API(stub).request(
                Route(path: "/search", method: .post, params: ["page": 3], headers: ["X-Api-Key": "k-9999"])
            ).data()
        }
        let suggestion = try #require(error?.suggestion)
        #expect(
            suggestion.contains(
                #"POST /search where the JSON's page is 2 and the query's lang is "en" "#
                    + #"(the JSON's page is 2: it is 3; the query's lang is "en": it is missing)"#
            ))
        #expect(suggestion.contains("(the header field X-Api-Key is ***: it differs)"))
        #expect(!"\(suggestion)".contains("k-"))
        #expect(suggestion.hasSuffix("GET /searches"))
    }

    @Test func `a stub for a route answers only its path`() async throws {
        let route = Route(path: "/users/\("a/{b}")", params: ["x": 1])
        let stub = StubTransport().on(route, .text("found")).on(Route(url: .example), .text("root"))
        #expect(try await API(stub).request(route).text() == "found")
        #expect(try await API(stub).request(Route(path: "")).text() == "root")
        await #expect(throws: HTTPError(.noStub("GET /v1/users/c"))) {
            try await API(stub).request(Route(path: "/users/c")).text()
        }
    }

    @Test func `a stub for an endpoint returns the endpoint's output`() async throws {
        let user = User(id: "1", name: "Ann")
        let stub = StubTransport()
            .on(Users.find, returning: user)
            .on(Users.find("2"), .status(503, retryAfter: 0), .status(404))
            .on(Users.motto, returning: "per aspera")
            .on(Users.picture, returning: Data([1, 2]))
            .on(Users.remove, times: 1, .status(204))
        let api = API(stub)
        #expect(try await api.send(Users.find("1")) == user)
        await #expect(throws: HTTPError.status(503)) { try await api.send(Users.find("2").retry(.never)) }
        await #expect(throws: HTTPError.status(404)) { try await api.send(Users.find("2")) }
        #expect(try await api.send(Users.motto("1")) == "per aspera")
        #expect(try await api.send(Users.picture("1")) == Data([1, 2]))
        try await api.send(Users.remove("7"))
        try stub.verify()
        #expect(stub.requests.map(\.stub).last == "DELETE /users/{id}")
    }
}

extension URL {
    fileprivate static let example = URL(string: "https://api.example.com/v1") ?? URL(filePath: "/")
}
