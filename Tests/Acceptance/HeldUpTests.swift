import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Partial bodies: a server that sends the start of a body and then pauses.
@Suite(.timeLimit(.minutes(3)))
struct HeldUpTests {
    /// Sends the head of a response and a part of its body, and waits until the client closes the connection.
    private func server(_ head: String, _ part: Data = Data(), then gate: Gate? = nil) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.write(Data("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8) + part)
            if let gate { gate.wait() } else { connection.drain() }
        }
    }

    /// Reads 1000 bytes of a body, responds with a 413, and waits until the client closes the connection.
    private func refusing(_ head: String, _ body: String) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.skip(1000)
            connection.write("HTTP/1.1 413 x\r\n\(head)\r\n\r\n\(body)")
            connection.drain()
        }
    }

    private func api(_ server: ScriptedServer, over engine: Engine? = nil) -> TestAPI {
        TestAPI(baseURL: server.baseURL, client: engine?.client() ?? HTTPClient.shared)
    }

    @Test("cancel() ends a stream, inside and outside the loop that reads it", arguments: Engine.wire, [true, false])
    func cancelledStream(engine: Engine, fromWithin: Bool) async throws {
        let server = try server("Content-Type: text/event-stream", Data("one\ntwo\n".utf8))
        let request = api(server, over: engine).request(Route(path: "/events"))
        let seen = Log<String>()
        let reading = Task {
            for try await line in request.lines {
                seen.add(line)
                if fromWithin && line == "two" { request.cancel() }
            }
        }
        if !fromWithin {
            try await eventually("both lines have come") { seen.entries.count == 2 }
            request.cancel()
        }
        let error = await #expect(throws: HTTPError.self) { try await reading.value }
        #expect(error == HTTPError.cancelled && error?.request?.url.path() == "/events")
        #expect(seen.entries == ["one", "two"])
        try await eventually("the connection ends") { server.connectionCount == 0 }
        await #expect(throws: HTTPError.self) { for try await _ in request.chunks {} }
    }

    #if os(Linux)
        /// Apple's URLSession does the same. On Linux, URLSession reports a redirect's head after its body.
        @Test(
            "a redirect is followed once its head arrives, even if its body never ends",
            arguments: ["Content-Length: 100", "Content-Length: 10000000000", "Transfer-Encoding: chunked", "X: y"])
        func redirectWithoutEnd(framing: String) async throws {
            for part in [Data(), Data("5\r\nhello\r\n".utf8), Data(repeating: 0x61, count: 1 << 20)] {
                let server = try ScriptedServer { connection in
                    while let head = connection.readHead(), head.hasPrefix("GET /end") {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend")
                    }
                    connection.write("HTTP/1.1 302 x\r\nLocation: /end\r\n\(framing)\r\n\r\n")
                    connection.write(part)
                    connection.drain()
                }
                let folder = try TemporaryFolder()
                let api = api(server, over: .curl)
                #expect(try await api.request(Route(path: "/a")).text() == "end")
                let file = try await api.request(Route(path: "/a")).download(to: folder.file("end"))
                #expect(try String(contentsOf: file, encoding: .utf8) == "end")
                var lines: [String] = []
                for try await line in api.request(Route(path: "/a")).lines { lines.append(line) }
                #expect(lines == ["end"])
            }
        }
    #endif

    @Test("a redirect with a short body keeps its connection; one not followed delivers its whole body")
    func redirectWithBody() async throws {
        let body = String(repeating: "x", count: 100_000)
        let server = try LoopbackServer()
            .on(.get, "/api/me", .text("short", status: 302, headers: ["Location": "/end"]))
            .on(.get, "/end", .text("end"))
            .on(.get, "/api/long", .text(body, status: 302, headers: ["Location": "/end"]))
        let api = TestAPI(server)
        #expect(try await api.request(.me).text() == "end")
        #expect(server.connectionCount == 1)
        let error = await #expect(throws: HTTPError.self) {
            try await api.request(Route(path: "/long").redirects(.never)).void()
        }
        #expect(error == .status(302) && error?.response?.text == body)
    }

    @Test("canceling a stream after its end changes nothing")
    func cancelledLate() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("one\ntwo"))
        let request = TestAPI(server).request(.me)
        var lines = request.lines.makeAsyncIterator()
        #expect(try await [lines.next(), lines.next(), lines.next()] == ["one", "two", nil])
        request.cancel()
        #expect(try await lines.next() == nil)
    }

    @Test("the error for a stalled stream names the limit it exceeded", arguments: Engine.wire)
    func silentStream(engine: Engine) async throws {
        let server = try server("Content-Type: text/event-stream", Data("one\n".utf8))
        var api = api(server)
        api.client = HTTPClient(transport: engine.make(.init(idleTimeout: .milliseconds(200))))
        let request = api.request(Route(path: "/events"))
        let error = await #expect(throws: HTTPError.self) { for try await _ in request.lines {} }
        #expect(error == .timedOut && error?.suggestion?.contains("idleTimeout") == true)
    }

    @Test("a progress handler reports the few bytes that arrived before a timeout", arguments: Engine.wire)
    func silence(engine: Engine) async throws {
        let server = try server("Content-Length: 1000000", Data(count: 30_000))
        let request = api(server, over: engine).request(Route(path: "/dump"))
        let reading = Task { try await request.data() }
        var last: TransferProgress?
        for await progress in request.progress(.download) {
            last = progress
            if progress.completed == 30_000 { request.cancel() }
        }
        #expect(last == TransferProgress(completed: 30_000, total: 1_000_000))
        await #expect(throws: HTTPError.cancelled) { try await reading.value }
    }

    @Test("a progress handler reports the last bytes that arrived before the connection broke", arguments: Engine.wire)
    func broken(engine: Engine) async throws {
        let gate = Gate()
        gate.open()
        let server = try server("Content-Length: 1000000", Data(count: 100_001), then: gate)
        let last = Log<Int64>()
        let request = api(server, over: engine).request(Route(path: "/dump")).downloadProgress(on: .global()) {
            last.add($0.completed)
        }
        await #expect(throws: HTTPError.connectionLost) { try await request.data() }
        #expect(last.entries.last == 100_001)
    }

    @Test("a progress handler reports the few bytes sent by a paused upload")
    func pausedUpload() async throws {
        let server = try ScriptedServer { $0.drain() }
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data(count: 1000))
        let request = api(server).request(Route(path: "/", method: .post, body: .stream(chunks)))
        let reading = Task { try await request.void() }
        for await progress in request.progress(.upload) where progress.completed == 1000 { request.cancel() }
        await #expect(throws: HTTPError.cancelled) { try await reading.value }
    }

    @Test(
        "a server that rejects a paused upload ends it after the last progress report",
        arguments: ["", "large"], ["close", "keep-alive"])
    func earlyAnswer(body: String, kept: String) async throws {
        let server = try refusing("Content-Length: \(body.count)\r\nConnection: \(kept)", body)
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data(count: 1000))
        let last = Log<Int64>()
        let request = api(server).request(Route(path: "/", method: .post, body: .stream(chunks)))
            .uploadProgress(on: .global()) { last.add($0.completed) }
        let error = await #expect(throws: HTTPError.self) { try await request.void() }
        #expect(error == HTTPError.status(413) && error?.response?.text == body)
        #expect(last.entries.last == 1000)
        try await eventually("the connection ends") { server.connectionCount == 0 }
    }

    @Test("a server that rejects a complete upload keeps the connection open", arguments: ["", "x"])
    func refusedWhole(body: String) async throws {
        let server = try LoopbackServer().on(.post, "/api/me", .text("no", status: 404))
        for _ in 0..<3 {
            let route = Route(path: "/me", method: .post, body: .data(Data(body.utf8)))
            await #expect(throws: HTTPError.status(404)) { try await TestAPI(server).request(route).void() }
        }
        #expect(server.connectionCount == 1 && server.requests.count == 3)
    }

    @Test("the idle timeout limits an early response without a length to an unfinished upload")
    func endlessAnswer() async throws {
        let server = try refusing("Transfer-Encoding: chunked\r\nConnection: close", "0\r\n\r\n")
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data(count: 1000))
        var api = api(server)
        api.client = HTTPClient(configuration: .init(idleTimeout: .milliseconds(200)))
        let request = api.request(Route(path: "/", method: .post, body: .stream(chunks)))
        let error = await #expect(throws: HTTPError.self) { try await request.void() }
        #expect(error == .timedOut || error == .status(413))  // either, depending on what libcurl has read
        source.finish()
    }

    @Test("a download that waits for another one's file respects its own deadline")
    func impatientDownload() async throws {
        let folder = try TemporaryFolder()
        let server = try server("Content-Length: 200000\r\nETag: \"1\"", Data(count: 100_000))
        let first = api(server).request(Route(path: "/dump"))
        let reading = Task { try await first.download(to: folder.file("dump"), resuming: true) }
        try await eventually("the first has it") { try folder.names.contains(".dump.halyard-part.json") }
        func second(_ timeout: Duration?) async throws {
            let route = Route(path: "/dump").configured { $0.timeout = timeout }
            _ = try await api(server).request(route).download(to: folder.file("dump"), resuming: true)
        }
        await #expect(throws: HTTPError.timedOut) { try await second(.milliseconds(100)) }
        let error = await #expect(throws: HTTPError.self) { try await second(nil) }
        #expect(error == HTTPError(.unwritableFile(folder.file("dump").path)))
        first.cancel()
        await #expect(throws: HTTPError.cancelled) { try await reading.value }
    }

    @Test("the reader decides the destination of a body, even if progress is observed at the same time")
    func watchedDownload() async throws {
        let (folder, content) = (try TemporaryFolder(), Data.noise(300_000))
        let server = try LoopbackServer().on(.get, "/api/dump", .data(content))
        let route = Route(path: "/dump").memoryLimit(1000)
        let request = TestAPI(server).request(route)
        async let file = request.download(to: folder.file("dump"))
        for await _ in request.progress(.download) {}
        #expect(try await Data(contentsOf: file).isSame(as: content))
    }

    @Test("lines are delivered as they arrive, even if progress is observed at the same time")
    func watchedLines() async throws {
        let server = try server("Content-Type: text/event-stream", Data("one\n".utf8))
        let request = api(server).request(Route(path: "/events"))
        let watching = Task { for await _ in request.progress(.download) {} }
        for try await line in request.lines {
            #expect(line == "one")
            break
        }
        await watching.value
    }

    @Test("a canceled download can be resumed immediately", arguments: 0..<10)
    func pausedDownload(round: Int) async throws {
        let (folder, content) = (try TemporaryFolder(), Data.noise(200_000))
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            let rest = head.contains("Range: bytes=100000-")
            connection.write("HTTP/1.1 \(rest ? "206" : "200") OK\r\nETag: \"1\"\r\n")
            if rest {
                connection.write("Content-Range: bytes 100000-199999/200000\r\nContent-Length: 100000\r\n\r\n")
                connection.write(content.suffix(100_000))
            } else {
                connection.write(Data("Content-Length: 200000\r\n\r\n".utf8) + content.prefix(100_000))
                connection.drain()
            }
        }
        let first = api(server).request(Route(path: "/dump"))
        let reading = Task { try await first.download(to: folder.file("dump"), resuming: true) }
        try await eventually("it is on its way") { server.connectionCount == 1 }
        for await progress in first.progress(.download) where progress.completed == 100_000 { first.cancel() }
        await #expect(throws: HTTPError.cancelled) { try await reading.value }
        let file = try await api(server).request(Route(path: "/dump")).download(to: folder.file("dump"), resuming: true)
        #expect(try Data(contentsOf: file).isSame(as: content))
    }
}
