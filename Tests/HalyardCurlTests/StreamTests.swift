import Dispatch
import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Request and response bodies that are streamed, and never held in memory as a whole.
@Suite(.timeLimit(.minutes(3)))
struct StreamTests {
    /// A sequence without elements. When it is cancelled, it blocks until another request over the same engine is
    /// answered.
    private struct Stubborn: AsyncSequence, Sendable {
        typealias Element = Data
        let transport: CurlTransport
        let server: LoopbackServer
        /// The number of iterations that wait for an element.
        let waiting = Counter()
        let status = Lock(0)

        struct Iterator: AsyncIteratorProtocol {
            let sequence: Stubborn

            func next() async -> Data? {
                let (never, end) = AsyncStream.makeStream(of: Data.self)
                defer { end.finish() }
                await withTaskCancellationHandler {
                    sequence.waiting.increment()
                    for await _ in never {}
                } onCancel: {
                    sequence.block()
                }
                return nil
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

        private func block() {
            let answered = DispatchSemaphore(value: 0)
            Task.detached {
                let response = try? await transport.send(to: server)
                status.withLock { $0 = response?.status ?? -1 }
                answered.signal()
            }
            // On a busy machine the time limit may end before the iteration begins. Then this blocks a thread of the
            // task pool, but only for a limited time.
            _ = answered.wait(timeout: .now() + 20)
        }
    }

    @Test(arguments: [true, false])
    func `a body sequence that waits for another request while it is canceled does not block the engine`(
        isCancelled: Bool
    )
        async throws
    {
        let transport = CurlTransport()
        let stubborn = Stubborn(
            transport: transport, server: try LoopbackServer().on(.get, "/", .status(204)))
        let silent = try ScriptedServer { $0.drain() }
        let limit: Duration? = isCancelled ? nil : .seconds(1)
        let sending = Task {
            let request = try HTTPRequest(.put, silent.baseURL, body: HTTPBody(stream: stubborn))
            _ = try await transport.send(request, context: TransferContext(timeout: limit))
        }
        if isCancelled {
            try await eventually("the sequence is read") { stubborn.waiting.count == 1 }
            sending.cancel()
        }
        await #expect(throws: (any Error).self) { try await sending.value }
        try await eventually("the other request is answered") { stubborn.status.withLock { $0 } == 204 }
    }

    @Test(arguments: [-1, Int64.min])
    func `a negative length fails, and nothing is sent`(length: Int64) async throws {
        let server = try LoopbackServer().on(.put, "/", .status(200))
        let body = HTTPBody(stream: [Data("a".utf8)].async, length: length)
        let error = await #expect(throws: HTTPError.self) {
            try await CurlTransport().send(.put, to: server, body: body)
        }
        #expect(error == HTTPError(.encoding("the body")) && error?.reason?.contains("\(length)") == true)
        #expect(server.connectionCount == 0)
    }

    let transport = CurlTransport()

    private func open(_ server: LoopbackServer, _ path: String = "/") async throws -> HTTPResponse.Stream {
        let url = try #require(URL(string: "\(server.baseURL)\(path)"))
        let response = try await transport.send(
            HTTPRequest(.get, url, destination: .stream), context: TransferContext())
        return try #require(response.stream)
    }

    @Test(arguments: [1, 100_000, 20 << 20])
    func `a stream that is read slowly is complete`(count: Int) async throws {
        let body = Data.pattern(count)
        let server = try LoopbackServer().on(.get, "/", .data(body))
        var got = Data()
        for try await chunk in try await open(server) {
            got.append(chunk)
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(got.count == body.count)
        #expect(got == body)
    }

    @Test func `trailers that arrive while the stream is full are parsed one by one`() async throws {
        var raw = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for _ in 0..<1000 { raw += Data("800\r\n".utf8) + Data(count: 2048) + Data("\r\n".utf8) }
        let server = try LoopbackServer().on(.get, "/", .raw(raw + Data("0\r\nA: 1\r\nB: 2\r\n\r\n".utf8)))
        let stream = try await open(server)
        // Each of these requests runs an iteration of the loop, in which the stream takes as many bytes as it can.
        for _ in 0..<200 { _ = try await transport.send(to: server, "/none") }
        var count = 0
        for try await chunk in stream { count += chunk.count }
        #expect(count == 1000 * 2048)
        #expect(stream.trailers == ["A": "1", "B": "2"])
    }

    @Test func `leaving the loop ends the transfer`() async throws {
        let server = try LoopbackServer().on(.get, "/", .data(Data.pattern(50 << 20)))
        for try await chunk in try await open(server) {
            #expect(!chunk.isEmpty)
            break
        }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `releasing an unread stream ends the transfer`() async throws {
        let server = try LoopbackServer().on(.get, "/", .data(Data.pattern(50 << 20)))
        var stream: HTTPResponse.Stream? = try await open(server)
        #expect(stream != nil)
        stream = nil
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `canceling a task that waits for a chunk ends the transfer`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
        let server = try LoopbackServer().on(.get, "/", .raw(head))
        // The server closes the connection after its bytes, so this stream is interrupted.
        let broken = try await open(server)
        await #expect(throws: HTTPError.connectionLost) { for try await _ in broken {} }

        server.on(.get, "/", .data(Data.pattern(50 << 20)))
        let task = Task {
            for try await _ in try await open(server) {
                try await eventually("the task is cancelled") { Task.isCancelled }
            }
        }
        try await eventually("the request arrives") { server.requests.count == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `a stream can be read only once`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("once"))
        let stream = try await open(server)
        for try await _ in stream {}
        await #expect(throws: HTTPError(.bodyConsumed)) { for try await _ in stream {} }
    }

    @Test func `a response other than 2xx keeps up to 64 KiB in memory, even for a stream or a file`() async throws {
        let server = try LoopbackServer().on(.get, "/short", .text("no", status: 404))
            .on(.get, "/long", .data(Data.pattern(200_000), status: 500)).on(.get, "/next", .text("next"))
        let file = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)")
        for destination: HTTPRequest.Destination in [.stream, .file(file)] {
            let short = try await transport.send(to: server, "/short", destination: destination)
            #expect(short.status == 404 && short.text == "no" && short.stream == nil && short.file == nil)
            let long = try await transport.send(to: server, "/long", destination: destination)
            #expect(long.status == 500 && long.data == Data.pattern(65_536))
        }
        #expect(try await transport.send(to: server, "/next").text == "next")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: [nil, 300_000] as [Int64?])
    func `a sequence is sent as it produces elements, chunked unless its length is known`(length: Int64?) async throws {
        let server = try LoopbackServer().on(.post, "/") { .data($0.body) }
        let body = Data.pattern(300_000)
        let pieces = stride(from: 0, to: body.count, by: 7000).map { body[$0..<min($0 + 7000, body.count)] }
        let stream = AsyncStream { continuation in
            for piece in pieces { continuation.yield(Data(piece)) }
            continuation.finish()
        }
        let response = try await transport.send(.post, to: server, body: HTTPBody(stream: stream, length: length))
        #expect(response.data == body)
        #expect(server.requests[0].headers["Content-Length"] == length.map { "\($0)" })
        #expect(server.requests[0].headers["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
    }

    @Test func `a sequence is paused until there is room`() async throws {
        let (given, gate) = (Lock(0), Gate())
        // The server reads only the head before the gate opens: the buffers fill, and no further elements of the
        // sequence are requested.
        let server = try ScriptedServer { connection in
            connection.readHead()
            gate.wait()
            var end: [UInt8] = []
            while !end.elementsEqual("0\r\n\r\n".utf8), let bytes = connection.read(atMost: 1 << 16) {
                end = (end + bytes).suffix(5)
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let pieces = AsyncStream {
            let count = given.withLock { given in
                given += 1
                return given
            }
            return count <= 400 ? Data(repeating: 1, count: 100_000) : nil
        }
        async let response = transport.send(
            HTTPRequest(.post, server.baseURL, body: HTTPBody(stream: pieces)), context: TransferContext())
        #expect(try await settled { given.withLock { $0 } } < 400)
        gate.open()
        #expect(try await response.status == 200)
        #expect(given.withLock { $0 } == 401)
    }

    @Test func `an error thrown by a sequence fails the request and aborts the transfer`() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer().on(.post, "/", .status(200))
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("start".utf8))
            continuation.finish(throwing: Broken())
        }
        await #expect(throws: Broken.self) {
            try await transport.send(.post, to: server, body: HTTPBody(stream: stream))
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [4, 6] as [Int64])
    func `a sequence whose length differs from the announced one fails`(length: Int64) async throws {
        let server = try LoopbackServer().on(.post, "/", .status(200))
        let stream = AsyncStream { continuation in
            continuation.yield(Data("12345".utf8))
            continuation.finish()
        }
        await #expect(throws: HTTPError(.encoding("the body"))) {
            try await transport.send(.post, to: server, body: HTTPBody(stream: stream, length: length))
        }
    }

    @Test func `a file that shrinks while it is sent fails the request and is not padded`() async throws {
        let server = try LoopbackServer().on(.post, "/", .status(200))
        let file = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data.pattern(500).write(to: file)
        let body = try HTTPBody(file: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 100)
        try handle.close()
        await #expect(throws: HTTPError(.unreadableFile(file.path))) {
            try await transport.send(.post, to: server, body: body)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `upload progress never decreases, is frequent enough and ends at the total`() async throws {
        let server = try LoopbackServer().on(.post, "/", .status(200))
        let reports = Lock([TransferProgress]())
        var context = TransferContext()
        context.progress = { direction, progress in
            if direction == .upload { reports.withLock { $0.append(progress) } }
        }
        let size: Int64 = 10 << 20
        _ = try await transport.send(.post, to: server, body: HTTPBody(Data.pattern(Int(size))), context: context)
        let all = reports.withLock { $0 }
        #expect(all.last == TransferProgress(completed: size, total: size))
        #expect(all.count >= 10)
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(later.completed > earlier.completed && later.completed - earlier.completed <= 1 << 20)
        }
    }
}
