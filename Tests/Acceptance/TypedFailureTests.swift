import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// An API's own failure reaches each kind of observer with its type.
@Suite(.timeLimit(.minutes(3)))
struct TypedFailureTests {
    struct ShopFailure: Error, Decodable, Equatable { var errorCode: String }

    struct ShopAPI: HTTPProvider {
        let baseURL: URL
        let failures = Failures.json(ShopFailure.self)
    }

    struct Order: Codable, Sendable { var id: Int }
    static let order = Endpoint(.get, "/order", returning: Order.self)
    static let expected = ShopFailure(errorCode: "closed")

    static func api() throws -> (ShopAPI, LoopbackServer) {
        let server = try LoopbackServer().on(.get, "/order", .json(text: #"{"errorCode":"closed"}"#, status: 403))
        return (ShopAPI(baseURL: server.baseURL), server)
    }

    @Test("a handler receives the typed failure")
    func handler() async throws {
        let (api, server) = try Self.api()
        let received = await response { done in
            api.request(Route(path: "/order")).responseObject(of: Order.self) { done($0) }
        }
        #expect(throws: Self.expected) { try received.result.get() }
        #expect(received.response?.status == 403 && server.requests.count == 1)
    }

    @Test("a future throws the typed failure")
    func future() async throws {
        let (api, server) = try Self.api()
        await #expect(throws: Self.expected) {
            _ = try await api.request(Route(path: "/order")).future(of: Order.self).value
        }
        #expect(server.requests.count == 1)
    }

    @Test("an endpoint throws the typed failure from send, call and streams")
    func endpoint() async throws {
        let (api, server) = try Self.api()
        await #expect(throws: Self.expected) { _ = try await api.send(Self.order) }
        await #expect(throws: Self.expected) { _ = try await api.call(Self.order).value() }
        await #expect(throws: Self.expected) { for try await _ in api.lines(Self.order) {} }
        await #expect(throws: Self.expected) { for try await _ in api.events(Self.order) {} }
        #expect(server.requests.count == 4)
    }
}
