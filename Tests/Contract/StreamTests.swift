import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// Events, lines, elements and pages over every engine.
    @Suite struct StreamTests {
        struct Item: Codable, Sendable, Equatable { var id: Int }

        private func ids(_ items: some AsyncSequence<Item, any Error>) async throws -> [Int] {
            var ids: [Int] = []
            for try await item in items { ids.append(item.id) }
            return ids
        }

        private func api(_ engine: Engine, _ server: LoopbackServer) -> TestAPI {
            TestAPI(server).with(\.client, HTTPClient(transport: engine.make()))
        }

        private func stream(_ text: String) -> StubResponse {
            .data(Data(text.utf8), contentType: "text/event-stream")
        }

        @Test("events arrive, and a stream reconnects with the last ID until a 204", arguments: Engine.wire)
        func events(engine: Engine) async throws {
            let server = try LoopbackServer().on(
                .get, "/api/feed", stream("retry: 1\nid: 1\ndata: {\"id\":1}\n\n"), stream("data: {\"id\":2}\n\n"),
                .status(204))
            let events = api(engine, server).request(Route(path: "/feed")).events(of: Item.self)
            #expect(try await ids(events.reconnecting()) == [1, 2])
            #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
            #expect(server.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
        }

        @Test("lines and elements are read from chunks of any size", arguments: Engine.wire)
        func linesAndElements(engine: Engine) async throws {
            let lines = (1...500).map { "{\"id\":\($0)}" }
            let jsonLines = Data((lines.joined(separator: "\n") + "\n").utf8)
            let array = Data("{\"total\":500,\"items\":[\(lines.joined(separator: ","))]}".utf8)
            let server = try LoopbackServer()
                .on(.get, "/api/lines", .chunked(jsonLines.chunks(of: 777)))
                .on(.get, "/api/array", .chunked(array.chunks(of: 777)))
            let api = api(engine, server)
            #expect(try await ids(api.request(Route(path: "/lines")).lines(of: Item.self)) == Array(1...500))
            let elements = api.request(Route(path: "/array")).elements(of: Item.self, at: "items")
            #expect(try await ids(elements) == Array(1...500))
        }

        @Test("pages follow links", arguments: Engine.wire)
        func pages(engine: Engine) async throws {
            let server = try LoopbackServer().on(
                .get, "/api/items", .json(text: "[{\"id\":1}]", headers: ["Link": "<?page=2>; rel=\"next\""]),
                .json(text: "[{\"id\":2}]"))
            let pages = api(engine, server).pages(Route(path: "/items"), by: .link).prefetching()
            #expect(try await ids(pages.items()) == [1, 2])
            #expect(server.requests.map(\.query) == [nil, "page=2"])
        }

        @Test("leaving the loop ends the transfer", arguments: Engine.wire)
        func leaving(engine: Engine) async throws {
            let ended = Counter()
            let server = try ScriptedServer { connection in
                _ = connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n")
                // URLSession delivers small bodies late.
                connection.write(Data(repeating: UInt8(ascii: "\n"), count: 200_000))
                connection.drain()
                ended.increment()
            }
            let api = TestAPI(baseURL: server.baseURL).with(\.client, HTTPClient(transport: engine.make()))
            for try await event in api.request(Route(path: "/feed")).events {
                #expect(event.data == "a")
                break
            }
            try await eventually("the connection is closed") { ended.count == 1 }
        }
    }
}

extension Data {
    fileprivate func chunks(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { Data(self[$0..<Swift.min($0 + size, count)]) }
    }
}
