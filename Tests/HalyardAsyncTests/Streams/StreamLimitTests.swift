import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardAsync

/// The limits of an event, a line and an element. They do not depend on how the bytes arrive.
@Suite(.timeLimit(.minutes(3)))
struct StreamLimitTests {
    struct Point: Codable, Sendable { var x: Int }

    /// Returns a server that sends a body in one write, or in writes of one byte.
    static func server(_ text: String, _ contentType: String, isSplit: Bool) throws -> ScriptedServer {
        try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(contentType)\r\n\r\n")
            guard isSplit else {
                connection.write(text)
                return
            }
            for byte in text.utf8 { connection.write(Data([byte])) }
        }
    }

    static func request(_ server: ScriptedServer) -> Request {
        TestAPI(baseURL: server.baseURL).request(Route(path: "/stream"))
    }

    @Test("an event beyond the limit fails", arguments: [false, true])
    func event(isSplit: Bool) async throws {
        let server = try Self.server(
            "data: a\n\n: 7890\n\ndata: 78901\n\ndata: b\n\n", "text/event-stream", isSplit: isSplit)
        let log = Log<String>()
        let error = await failure {
            for try await event in Self.request(server).events.eventLimit(10) { log.add(event.data) }
        }
        #expect(error == HTTPError(.bodyTooLarge(limit: 10)))
        #expect(log.entries == ["a"])
        #expect(try await Self.request(server).events.eventLimit(11).all.map(\.data) == ["a", "78901", "b"])
    }

    @Test("an event of many short lines beyond the limit fails", arguments: [false, true])
    func eventOfManyLines(isSplit: Bool) async throws {
        let server = try Self.server("data: 1\ndata: 2\ndata: 3\ndata: 4\n\n", "text/event-stream", isSplit: isSplit)
        let error = await failure { for try await _ in Self.request(server).events.eventLimit(12) {} }
        #expect(error == HTTPError(.bodyTooLarge(limit: 12)))
        #expect(try await Self.request(server).events.eventLimit(13).all.count == 1)
    }

    @Test(
        "a line of JSON beyond the limit fails, in JSON Lines and in a text sequence", arguments: ["", "\u{1E}"],
        [false, true])
    func line(start: String, isSplit: Bool) async throws {
        let text = ["{\"x\":1}", "{\"x\":234}", "{\"x\":5}"].map { start + $0 + "\r\n" }.joined()
        let server = try Self.server(text, "application/x-ndjson", isSplit: isSplit)
        let log = Log<Int>()
        let error = await failure {
            for try await point in Self.request(server).lines(of: Point.self, limit: 8) { log.add(point.x) }
        }
        #expect(error == HTTPError(.bodyTooLarge(limit: 8)))
        #expect(error?.reason?.hasSuffix(" 2 is longer than the limit") == true, "\(error?.reason ?? "")")
        #expect(log.entries == [1])
        let values = Self.request(server).lines(of: Point.self, limit: start.isEmpty ? 9 : 11)
        #expect(try await values.all.map(\.x) == [1, 234, 5])
    }

    @Test("an element beyond the limit fails, and so does a long name on its path", arguments: [false, true])
    func element(isSplit: Bool) async throws {
        let server = try Self.server("{\"a long name\":[0],\"a\":[1,12345,2]}", "application/json", isSplit: isSplit)
        let log = Log<Int>()
        let error = await failure {
            let elements = Self.request(server).elements(of: Int.self, at: "a", limit: 13)
            for try await element in elements { log.add(element) }
        }
        #expect(error == nil)
        #expect(log.entries == [1, 12345, 2])
        let name = await failure {
            for try await _ in Self.request(server).elements(of: Int.self, at: "a", limit: 12) {}
        }
        #expect(name == HTTPError(.bodyTooLarge(limit: 12)))
        #expect(name?.reason == "a name is longer than the limit")

        let short = try Self.server("{\"a\":[1,12345,2]}", "application/json", isSplit: isSplit)
        let large = await failure {
            for try await _ in Self.request(short).elements(of: Int.self, at: "a", limit: 4) {}
        }
        #expect(large == HTTPError(.bodyTooLarge(limit: 4)))
        #expect(large?.reason == "element 1 is larger than the limit")
    }

    @Test("a line of text beyond the limit fails")
    func lineOfText() async throws {
        let limit = 16 << 20
        let text = "a\n" + String(repeating: "b", count: limit + 1) + "\n"
        let server = try Self.server(text, "text/plain", isSplit: false)
        let log = Log<Int>()
        let error = await failure { for try await line in Self.request(server).lines { log.add(line.utf8.count) } }
        #expect(error == HTTPError(.bodyTooLarge(limit: limit)))
        #expect(log.entries == [1])
    }
}
