import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A custom transport that uses only the public API: see `RelayTransport`.
@Suite(.timeLimit(.minutes(3)))
struct CustomTransportTests {
    private static let dump = Route(path: "/dump")
    private let content = Data.noise(3_000_000)

    private func api(_ server: LoopbackServer, _ engine: Engine) -> TestAPI {
        TestAPI(server).with(\.client, HTTPClient(transport: RelayTransport(inner: engine.make())))
    }

    @Test("delivers a body to memory, to a file and as a stream", arguments: Engine.wire)
    func destinations(engine: Engine) async throws {
        let server = try LoopbackServer().on(.get, "/api/dump", .data(content))
        let (folder, api) = (try TemporaryFolder(), api(server, engine))
        #expect(try await api.request(Self.dump).data().isSame(as: content))
        let file = try await api.request(Self.dump).download(to: folder.file("dump"))
        #expect(try Data(contentsOf: file).isSame(as: content))
        #expect(try folder.names == ["dump"])
        var streamed = Data()
        for try await chunk in api.request(Self.dump).chunks { streamed += chunk }
        #expect(streamed.isSame(as: content))
    }

    @Test(
        "a body over the memory limit fails with an error that includes the request and the response",
        arguments: Engine.wire)
    func limit(engine: Engine) async throws {
        let server = try LoopbackServer().on(.get, "/api/dump", .data(content))
        let error = await failure { _ = try await api(server, engine).request(Self.dump.memoryLimit(1000)).data() }
        #expect(error == HTTPError(.bodyTooLarge(limit: 1000)))
        #expect(error?.request != nil && error?.response?.status == 200)
    }

    @Test(
        "a response other than 2xx leaves the file unchanged, and the error contains its body", arguments: Engine.wire)
    func refused(engine: Engine) async throws {
        let server = try LoopbackServer().on(.get, "/api/dump", .text("sold out", status: 503))
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let error = await failure { _ = try await api(server, engine).request(Self.dump).download(to: target) }
        #expect(error?.kind == .status(503) && error?.response?.text == "sold out")
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        let streamed = await failure { for try await _ in api(server, engine).request(Self.dump).chunks {} }
        #expect(streamed?.kind == .status(503) && streamed?.response?.text == "sold out")
    }

    @Test("a truncated body fails everywhere, and a download can be resumed", arguments: Engine.wire)
    func resumed(engine: Engine) async throws {
        let ranged = RangedContent(content, breaks: 1_000_000, 100, 100)
        let (folder, server) = (try TemporaryFolder(), try LoopbackServer.giving(ranged))
        let target = folder.file("dump")
        let api = api(server, engine)
        await #expect(throws: HTTPError.connectionLost) {
            try await api.request(Self.dump).download(to: target, resuming: true)
        }
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"])
        await #expect(throws: HTTPError.connectionLost) { try await api.request(Self.dump).data() }
        await #expect(throws: HTTPError.connectionLost) { for try await _ in api.request(Self.dump).chunks {} }
        #expect(try await api.request(Self.dump).download(to: target, resuming: true) == target)
        #expect(try Data(contentsOf: target).isSame(as: content))
        #expect(server.ranges == [nil, nil, nil, "bytes=1000000-"])
    }

    @Test("uploads of every kind arrive and report progress to the end", arguments: Engine.wire)
    func uploads(engine: Engine) async throws {
        let server = try LoopbackServer().on(.post, "/api/dump", .text("thanks"))
        let folder = try TemporaryFolder()
        let file = folder.file("file")
        try content.write(to: file)
        let parts = AsyncStream<Data> { chunks in
            for start in stride(from: 0, to: content.count, by: 500_000) {
                chunks.yield(content.dropFirst(start).prefix(500_000))
            }
            chunks.finish()
        }
        let bodies: [RouteBody] = [
            .data(content, contentType: "image/png"), .file(file), .stream(parts, length: Int64(content.count)),
        ]
        for body in bodies {
            let progress = Log<TransferProgress>()
            let route = Route(path: "/dump", method: .post, body: body)
            let text = try await api(server, engine).request(route)
                .uploadProgress(on: .global()) { progress.add($0) }.text()
            #expect(text == "thanks")
            #expect(server.requests.last?.body.isSame(as: content) == true)
            let end = TransferProgress(completed: Int64(content.count), total: Int64(content.count))
            try await eventually("progress has ended") { progress.entries.last == end }
            let steps = progress.entries.map(\.completed)
            #expect(steps == steps.sorted())
        }
    }

    @Test("a stream of the wrong length fails, and no complete request arrives", arguments: Engine.wire)
    func wrongUploads(engine: Engine) async throws {
        let server = try LoopbackServer().on(.post, "/api/dump", .text("thanks"))
        let parts = AsyncStream<Data> { chunks in
            chunks.yield(Data("12345".utf8))
            chunks.finish()
        }
        let route = Route(path: "/dump", method: .post, body: .stream(parts, length: 6))
        let error = await failure { _ = try await api(server, engine).request(route).text() }
        #expect(error == HTTPError(.encoding("the body")))
        #expect(server.requests.isEmpty)
    }

    @Test("a client logs the settings its engine ignores, once")
    func ignoredSettings() async throws {
        struct Tuned: Transport {
            let ignoredSettings = ["keepAlive", "connectionLimit"]
            func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
                HTTPResponse(status: 200, url: request.url)
            }
        }
        let events = Log<LogEvent>()
        let client = HTTPClient(transport: Tuned(), log: .custom { events.add($0) })
        for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, #require(URL(string: "http://localhost/")))) }
        let warnings = events.entries.filter { $0.kind == .warning }
        #expect(warnings.map(\.note) == ["the engine ignores keepAlive and connectionLimit: it has no such setting"])
        #expect(warnings.map(\.description) == warnings.map { "⚠ \($0.note ?? "")" })
    }

    @Test("leaving a stream ends the underlying transfer", arguments: Engine.wire)
    func left(engine: Engine) async throws {
        let closed = Counter()
        let server = try ScriptedServer.unended("Content-Type: text/plain", "first", closed)
        let client = HTTPClient(transport: RelayTransport(inner: engine.make()))
        let api = TestAPI(baseURL: server.baseURL, client: client)
        for try await chunk in api.request(Self.dump).chunks {
            #expect(chunk == Data("first".utf8))
            break
        }
        try await eventually("the server sees the end of the connection") { closed.count == 1 }
    }

    @Test("canceling ends the underlying transfer and leaves no file behind", arguments: Engine.wire)
    func cancelled(engine: Engine) async throws {
        let (closed, folder) = (Counter(), try TemporaryFolder())
        let server = try ScriptedServer.unended("Content-Length: 10", "first", closed)
        let client = HTTPClient(transport: RelayTransport(inner: engine.make()))
        let request = TestAPI(baseURL: server.baseURL, client: client).request(Self.dump)
        let task = Task { try await request.download(to: folder.file("dump")) }
        try await eventually("it has begun") { try folder.names.count == 1 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { _ = try await task.value }
        try await eventually("the server sees the end of the connection") { closed.count == 1 }
        try await eventually("no file is left") { try folder.names == [] }
    }
}
