import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Endpoints whose responses are streams or pages.
@Suite(.timeLimit(.minutes(3)))
struct StreamEndpointTests {
    struct Item: Codable, Sendable, Equatable { var id: Int }

    static let chat = Endpoint(.post, "/chat/{room}", .path("room"), .field("prompt"), returning: Item.self)
    static let watch = Endpoint(.get, "/watch", returning: Item.self)
    static let all = Endpoint(.get, "/items", returning: [Item].self)

    private func ids(_ items: some AsyncSequence<Item, any Error>) async throws -> [Int] {
        var ids: [Int] = []
        for try await item in items { ids.append(item.id) }
        return ids
    }

    @Test("events, lines and elements have the type of the endpoint's result")
    func streams() async throws {
        let events = Data("data: {\"id\":1}\n\ndata: {\"id\":2}\n\ndata: [DONE]\n\n".utf8)
        let server = try LoopbackServer()
            .on(.post, "/api/chat/a%2Fb", .data(events, contentType: "text/event-stream"))
            .on(.get, "/api/watch", .text("{\"id\":3}\n{\"id\":4}\n"))
            .on(.get, "/api/items", .json(text: "{\"data\":[{\"id\":5}]}"))
        let api = TestAPI(server)
        #expect(try await ids(api.events(Self.chat("a/b", "hello"), until: "[DONE]")) == [1, 2])
        #expect(try server.request.json()["prompt"].string == "hello")
        #expect(try await ids(api.lines(Self.watch)) == [3, 4])
        #expect(try await ids(api.elements(Self.all, at: "data")) == [5])
    }

    @Test("items of pages have the type of the elements of the endpoint's result")
    func pages() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/items", .json(text: "[{\"id\":1}]", headers: ["Link": "<?page=2>; rel=next"]),
            .json(text: "[{\"id\":2}]"))
        #expect(try await ids(TestAPI(server).items(Self.all, by: .link)) == [1, 2])
        var numbers: [Int] = []
        for try await page in TestAPI(server).pages(Self.all, by: .link) { numbers.append(page.number) }
        #expect(numbers == [1])
    }
}
