import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Streams with one JSON text in each line.
@Suite(.timeLimit(.minutes(3)))
struct LineValuesTests {
    struct Point: Codable, Sendable, Equatable { var x: Int }
    static let watch = Route(path: "/watch")

    static func server(_ text: String, type: String = "application/x-ndjson") throws -> LoopbackServer {
        try LoopbackServer().on(.get, "/api/watch", .data(Data(text.utf8), contentType: type))
    }

    static func points(_ text: String) async throws -> [Int] {
        let server = try server(text)
        defer { server.stop() }
        return try await TestAPI(server).request(watch).lines(of: Point.self).all.map(\.x)
    }

    @Test(
        "JSON Lines may use LF or CR LF, contain empty lines and omit the last line end",
        arguments: [
            ("{\"x\":1}\n{\"x\":2}\n", [1, 2]), ("{\"x\":1}\r\n\r\n \n{\"x\":2}", [1, 2]), ("", []), ("\n\n", []),
            ("\n{\"x\":1}", [1]),
        ])
    func jsonLines(text: String, expected: [Int]) async throws {
        #expect(try await Self.points(text) == expected)
    }

    @Test(
        "a text in a text sequence may span several lines, and empty ones are skipped (RFC 7464)",
        arguments: [
            ("\u{1E}{\"x\":1}\n\u{1E}{\"x\":2}\n", [1, 2]),
            ("\u{1E}{\n\"x\":\n1}\n\u{1E}\u{1E}\n\u{1E}{\"x\":2}", [1, 2]),
        ])
    func textSequences(text: String, expected: [Int]) async throws {
        #expect(try await Self.points(text) == expected)
    }

    @Test(
        "a byte order mark at the start is not part of the first line", arguments: ["\u{FEFF}1\n2", "\u{FEFF}\n1\r\n2"])
    func mark(text: String) async throws {
        for size in [1, 2, 3, 4, 100] {
            var (chunks, rest) = ([Data](), Data(text.utf8)[...])
            while !rest.isEmpty {
                chunks.append(Data(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let server = try LoopbackServer().on(.get, "/api/watch", .chunked(chunks))
            defer { server.stop() }
            let request = { TestAPI(server).request(Self.watch) }
            #expect(
                try await request().lines.all
                    == String(text.dropFirst()).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                    .map(String.init))
            #expect(try await request().lines(of: Int.self).all == [1, 2])
        }
        // Elsewhere it is a character.
        let server = try Self.server("a\n\u{FEFF}b\u{FEFF}\n")
        defer { server.stop() }
        #expect(try await TestAPI(server).request(Self.watch).lines.all == ["a", "\u{FEFF}b\u{FEFF}"])
        for short in [[0xEF], [0xEF, 0xBB]] as [[UInt8]] {
            let server = try LoopbackServer().on(.get, "/api/watch", .data(Data(short)))
            defer { server.stop() }
            #expect(try await TestAPI(server).request(Self.watch).lines.all == ["\u{FFFD}"])
        }
    }

    @Test("a number at the end of a text sequence fails because it may be truncated")
    func truncated() async throws {
        let log = Log<Int>()
        let server = try Self.server("\u{1E}1\n\u{1E}23")
        defer { server.stop() }
        let error = await failure {
            for try await number in TestAPI(server).request(Self.watch).lines(of: Int.self) { log.add(number) }
        }
        #expect(error == .decoding && error?.reason == "text 2: the text is cut off")
        #expect(log.entries == [1])
        let complete = try Self.server("\u{1E}1\n\u{1E}23\n")
        defer { complete.stop() }
        #expect(try await TestAPI(complete).request(Self.watch).lines(of: Int.self).all == [1, 23])
    }

    @Test("lines decode JSON strings as text, and JSON keeps the order of its members")
    func otherTypes() async throws {
        let server = try Self.server("\"a\"\n\"b\"\n", type: "text/plain")
        defer { server.stop() }
        #expect(try await TestAPI(server).request(Self.watch).lines(of: String.self).all == ["a", "b"])
        let mixed = try Self.server("{\"b\":1,\"a\":2}\n[1]\nnull\n")
        defer { mixed.stop() }
        let values = try await TestAPI(mixed).request(Self.watch).lines(of: JSON.self).all
        #expect(values.map(\.description) == ["{\"b\":1,\"a\":2}", "[1]", "null"])
    }

    enum Change: Decodable, Sendable, Equatable {
        case added(Point), bookmark(String)
        enum CodingKeys: CodingKey { case type, point, version }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            self =
                try object.decode(String.self, forKey: .type) == "added"
                ? .added(try object.decode(Point.self, forKey: .point))
                : .bookmark(try object.decode(String.self, forKey: .version))
        }
    }

    @Test("an endless watch of two types is read as it arrives, and leaving it ends the transfer")
    func endlessWatch() async throws {
        let (gate, ended) = (Gate(), Counter())
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n{\"type\":\"added\",\"point\":{\"x\":1}}\n{\"type\":\"bookm")
            gate.wait()
            connection.write("ark\",\"version\":\"7\"}\n")
            connection.drain()
            ended.increment()
        }
        var changes: [Change] = []
        for try await change in TestAPI(baseURL: server.baseURL).request(Self.watch).lines(of: Change.self) {
            changes.append(change)
            gate.open()
            if changes.count == 2 { break }
        }
        #expect(changes == [.added(Point(x: 1)), .bookmark("7")])
        try await eventually("the connection is closed") { ended.count == 1 }
    }

    @Test("an invalid line ends the loop with its number and position, after the values before it")
    func invalidLine() async throws {
        let server = try Self.server("{\"x\":1}\n\n{\"x\":true}\n{\"x\":3}\n")
        defer { server.stop() }
        let log = Log<Int>()
        let error = await failure {
            for try await point in TestAPI(server).request(Self.watch).lines(of: Point.self) { log.add(point.x) }
        }
        #expect(error == .decoding)
        #expect(error?.reason == #"line 3: "x" is a boolean, where Point needs Int"#)
        #expect(error?.response?.text == #"{"x":true}"#)
        #expect(log.entries == [1])
        let cutOff = try Self.server("{\"x\":1}\n{\"x\":")
        defer { cutOff.stop() }
        let broken = await failure {
            for try await _ in TestAPI(cutOff).request(Self.watch).lines(of: Point.self) {}
        }
        #expect(broken == .decoding && broken?.reason?.hasPrefix("line 2: ") == true, "\(broken?.reason ?? "")")
    }

    @Test("a handler receives errors for invalid lines, and the loop continues")
    func skippingInvalidLines() async throws {
        let server = try Self.server("{\"x\":1}\noops\n{\"x\":3}\n[]")
        defer { server.stop() }
        let errors = Log<HTTPError>()
        let points = try await TestAPI(server).request(Self.watch).lines(of: Point.self) { errors.add($0) }.all
        #expect(points.map(\.x) == [1, 3])
        #expect(errors.entries.map { $0.reason?.prefix(6) } == ["line 2", "line 4"])
        #expect(errors.entries.allSatisfy { $0.request != nil })
    }

    @Test("a line longer than the limit fails")
    func limit() async throws {
        let endless = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n{\"x\":1}\n\"")
            while connection.write(Data(count: 1000)) {}
        }
        let log = Log<Int>()
        let error = await failure {
            let points = TestAPI(baseURL: endless.baseURL).request(Self.watch).lines(of: Point.self, limit: 5000)
            for try await point in points { log.add(point.x) }
        }
        #expect(error == HTTPError(.bodyTooLarge(limit: 5000)))
        #expect(error?.reason == "line 2 is longer than the limit")
        #expect(log.entries == [1])
    }

    @Test("a lost connection throws an error, and half a line is not decoded")
    func lostConnection() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/watch", .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"x\":1}\n{\"x\":2}"))
        let log = Log<Int>()
        let error = await failure {
            for try await point in TestAPI(server).request(Self.watch).lines(of: Point.self) { log.add(point.x) }
        }
        #expect(error == .connectionLost)
        #expect(log.entries == [1])
    }
}
