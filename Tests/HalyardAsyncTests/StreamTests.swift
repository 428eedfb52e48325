import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Bodies that are read as they arrive: chunks and lines.
@Suite(.timeLimit(.minutes(3)))
struct StreamTests {
    static let events = Route(path: "/events")

    static func lines(of chunks: [String]) async throws -> [String] {
        let server = try LoopbackServer().on(.get, "/api/events", .chunked(chunks.map { Data($0.utf8) }))
        var lines: [String] = []
        for try await line in TestAPI(server).request(events).lines { lines.append(line) }
        return lines
    }

    @Test(
        "lines are decoded by the response's charset, and invalid bytes become U+FFFD",
        arguments: [
            ("shift_jis", [0x82, 0xA0, 0x0A, 0xFF, 0x61, 0x0D, 0x0A, 0x83, 0x5C], ["あ", "\u{FFFD}a", "ソ"]),
            ("iso-8859-1", [0xE9, 0x0A, 0x80], ["é", "€"]), ("klingon", [0xE9, 0x0A, 0x61], ["\u{FFFD}", "a"]),
            ("utf-8", [0xC3, 0xA9, 0xFF, 0x0A, 0xE2, 0x82], ["é\u{FFFD}", "\u{FFFD}"]),
        ] as [(String, [UInt8], [String])])
    func charsets(charset: String, bytes: [UInt8], lines: [String]) async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/events", .data(Data(bytes), contentType: "text/csv; charset=\(charset)"))
        var all: [String] = []
        for try await line in TestAPI(server).request(Self.events).lines { all.append(line) }
        #expect(all == lines)
    }

    @Test(
        "lines end with LF or CR LF, empty ones are delivered, and the last may be unterminated",
        arguments: [
            (["a\nb\n"], ["a", "b"]), (["a\r\nb\r\n"], ["a", "b"]), (["a\nb"], ["a", "b"]), (["\n\na"], ["", "", "a"]),
            (["a\r", "\nb\r", "\n"], ["a", "b"]), (["a", "b", "c\nd"], ["abc", "d"]), (["a\r"], ["a"]), ([], []),
            (["\r\n"], [""]), (["a\rb\n"], ["a\rb"]),
        ])
    func lineEnds(chunks: [String], lines: [String]) async throws {
        #expect(try await Self.lines(of: chunks) == lines)
    }

    /// Responds with a stream of pieces, each of which is one chunk. A piece is written when the previous one was read.
    struct Pieces: Transport {
        let pieces: [Data]
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            let pipe = BytePipe(capacity: 1)
            Task {
                for piece in pieces { _ = await pipe.write(piece) }
                pipe.finish()
            }
            var response = HTTPResponse(status: 200, url: request.url)
            response.stream = HTTPResponse.Stream(pipe)
            return response
        }
    }

    @Test("a character split between chunks is whole in its line", arguments: 1..<12)
    func cutCharacters(place: Int) async throws {
        let text = Data("é日🚀\r\nz".utf8)
        let client = HTTPClient(transport: Pieces(pieces: [text.prefix(place), text.dropFirst(place)]))
        let api = TestAPI(baseURL: try #require(URL(string: "http://localhost"))).with(\.client, client)
        var chunks: [Data] = []
        for try await chunk in api.request(Self.events).chunks { chunks.append(chunk) }
        #expect(chunks == [text.prefix(place), text.dropFirst(place)])
        var lines: [String] = []
        for try await line in api.request(Self.events).lines { lines.append(line) }
        #expect(lines == ["é日🚀", "z"])
    }

    @Test("bytes that are not valid UTF-8 become U+FFFD, and the loop continues")
    func invalidText() async throws {
        let server = try LoopbackServer().on(.get, "/api/events", .data(Data([0x61, 0xFF, 0x0A, 0x62])))
        var lines: [String] = []
        for try await line in TestAPI(server).request(Self.events).lines { lines.append(line) }
        #expect(lines == ["a\u{FFFD}", "b"])
    }

    @Test("chunks are delivered as they arrive, before the last one is sent")
    func chunks() async throws {
        let (gate, content) = (Gate(), Data.noise(2_000_000))
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
            connection.write(content.prefix(1000))
            gate.wait()
            connection.write(content.dropFirst(1000))
        }
        var received = Data()
        for try await chunk in TestAPI(baseURL: server.baseURL).request(Self.events).chunks {
            if received.isEmpty { gate.open() }
            received += chunk
        }
        #expect(received.isSame(as: content))
    }

    @Test("a loop over a response other than 2xx throws before its first element, with the body's start")
    func refused() async throws {
        let body = Data.noise(200_000)
        let server = try LoopbackServer().on(.get, "/api/events", .data(body, status: 503))
        let error = await failure {
            for try await _ in TestAPI(server).request(Self.events).chunks { Issue.record("a chunk of a failure") }
        }
        #expect(error == HTTPError.status(503))
        #expect(error?.response?.data.isSame(as: body.prefix(64 << 10)) == true)
    }

    @Test("an interrupted body throws an error after the bytes that arrived")
    func brokenOff() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/events", .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntwo"))
        let lines = Log<String>()
        let error = await failure {
            for try await line in TestAPI(server).request(Self.events).lines { lines.add(line) }
        }
        #expect(error == .connectionLost && error?.request != nil && error?.response?.status == 200)
        #expect(lines.entries == ["one"])
    }

    @Test("a limited sequence ends its transfer without an error")
    func limited() async throws {
        let ended = Counter()
        let server = try ScriptedServer.unended("Content-Length: 100000000", "one\ntwo\nthree\n", ended)
        let request = TestAPI(baseURL: server.baseURL).request(Self.events)
        var lines: [String] = []
        for try await line in request.lines.limited(to: 2) { lines.append(line) }
        #expect(lines == ["one", "two"])
        try await eventually("the connection is closed") { ended.count == 1 }
        for try await _ in request.lines.limited(to: 0) { Issue.record("a line too many") }
    }

    @Test("leaving a loop closes the connection")
    func leaving() async throws {
        let ended = Counter()
        let server = try ScriptedServer.unended("Content-Length: 100000000", "first", ended)
        let request = TestAPI(baseURL: server.baseURL).request(Self.events)
        for try await chunk in request.chunks {
            #expect(chunk == Data("first".utf8))
            break
        }
        try await eventually("the connection is closed") { ended.count == 1 }
        withExtendedLifetime(request) {}
    }

    @Test("a stream rejected by validate closes its connection, even while the error is retained")
    func refusedStream() async throws {
        let ended = Counter()
        let server = try ScriptedServer.unended("Content-Length: 100000000", "first", ended)
        let api = TestAPI(baseURL: server.baseURL).with(\.onValidate) { throw HTTPError(.decoding, response: $0) }
        let request = api.request(Self.events)
        let error = await failure { for try await _ in request.chunks {} }
        #expect(error == HTTPError.decoding)
        try await eventually("the connection is closed") { ended.count == 1 }
        withExtendedLifetime((request, error)) {}
    }

    @Test("canceling the task of a loop throws CancellationError and closes the connection")
    func cancelling() async throws {
        let (ended, received) = (Counter(), Counter())
        let server = try ScriptedServer.unended("Content-Length: 100000000", "first", ended)
        let api = TestAPI(baseURL: server.baseURL)
        let task = Task {
            for try await _ in api.request(Self.events).chunks { received.increment() }
        }
        try await eventually("the first chunk is here") { received.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { ended.count == 1 }
    }

    @Test("a slow reader slows the server down and gets the whole body")
    func backpressure() async throws {
        let total = 50_000_000
        let log = Log<Int>()
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let content = Data(count: total)
            let sent = connection.write(content, patience: 300)
            log.add(sent)
            connection.write(content.dropFirst(sent))
        }
        var received = 0
        for try await chunk in TestAPI(baseURL: server.baseURL).request(Self.events).chunks {
            if received == 0 {
                try await eventually("the server can write no more") { !log.entries.isEmpty }
                // Only the system's buffers and a few bytes in this process have been filled.
                #expect(try #require(log.entries.first) < total / 2)
            }
            received += chunk.count
        }
        #expect(received == total)
    }

    @Test("a client is freed with its last reference after its streams end, and its connections close")
    func lettingGo() async throws {
        let server = try LoopbackServer().on(.get, "/api/events", .data(Data(count: 5 << 20)))
        for isReadWhole in [true, false] {
            let api = TestAPI(server).with(\.client, HTTPClient())
            let request = api.request(Self.events)
            for try await _ in request.chunks where !isReadWhole { break }
        }
        try await eventually("the connections are closed") { server.openConnectionCount == 0 }
        #expect(server.connectionCount == 2)
    }

    @Test("a stream that arrives after its reader was canceled is closed, even if the request is retained")
    func orphan() async throws {
        let (gate, server) = (Gate(), try LoopbackServer().on(.get, "/api/events", .data(Data(count: 50 << 20))))
        // Holds the response back until the reader has been cancelled, and ignores cancellation itself.
        let late = Held(gate)
        let request = TestAPI(server).with(\.client, HTTPClient(interceptors: [late])).request(Self.events)
        let task = Task { for try await _ in request.chunks {} }
        try await eventually("the response has come") { late.arrivals.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
        #expect(await failure { _ = try await request.data() } == .cancelled)
    }

    private struct Held: Interceptor {
        let gate: Gate
        let arrivals = Counter()

        init(_ gate: Gate) { self.gate = gate }

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            let response = try await next.proceed(request)
            arrivals.increment()
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    gate.wait()
                    continuation.resume()
                }
            }
            return response
        }
    }
}
