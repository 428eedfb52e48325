import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Which mapper `validate` uses to decode an API's own error.
@Suite(.timeLimit(.minutes(3)))
struct ValidateMapperTests {
    private struct Problem: Codable, Error, Equatable {
        var errorCode: Int
        var happenedAt: Date
    }

    private struct API: HTTPProvider {
        let baseURL: URL
        var mapper = ObjectMapper(dates: .secondsSince1970, keys: .snakeCase)

        func validate(_ response: HTTPResponse) async throws {
            if response.status == 422 { throw try response.object(Problem.self) }
            try response.requireSuccess()
        }
    }

    private static let problem = Problem(errorCode: 7, happenedAt: Date(timeIntervalSince1970: 1500))
    private static let snake = #"{"error_code":7,"happened_at":1500}"#

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer().on(.get, "/x", .json(text: Self.snake, status: 422))
            .on(.get, "/y", .json(text: Self.snake, status: 500))
            .on(.get, "/z", .json(text: #"{"errorCode":7,"happenedAt":1500000}"#, status: 422))
    }

    @Test("object(_:) inside validate uses the mapper of the route, or else the provider's")
    func validated() async throws {
        let api = API(baseURL: server.baseURL)
        await #expect(throws: Self.problem) { try await api.request(Route(path: "/x")).void() }
        let route = Route(path: "/z").mapper(.standard)
        await #expect(throws: Self.problem) { try await api.request(route).void() }
    }

    @Test("object(_:) of an error's response and of an awaited response uses the provider's mapper")
    func after() async throws {
        let api = API(baseURL: server.baseURL)
        let error = try #require(await failure { try await api.request(Route(path: "/y")).void() })
        #expect(try error.response?.object(Problem.self) == Self.problem)
        server.on(.get, "/ok", .json(text: Self.snake))
        let response = try await api.request(Route(path: "/ok")).response()
        #expect(try response.object(Problem.self) == Self.problem)
    }

    @Test("a given mapper takes precedence; a response without a provider uses the standard mapper")
    func given() async throws {
        let api = API(baseURL: server.baseURL)
        let error = try #require(await failure { try await api.request(Route(path: "/y")).void() })
        #expect(throws: HTTPError.decoding) { try error.response?.object(Problem.self, mapper: .standard) }
        let own = HTTPResponse(
            status: 200, data: Data(#"{"errorCode":7,"happenedAt":1500000}"#.utf8), url: server.baseURL)
        #expect(try own.object(Problem.self) == Self.problem)
    }
}
