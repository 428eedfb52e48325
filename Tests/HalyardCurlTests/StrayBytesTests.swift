import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// A server may send unrequested bytes on an idle connection. They must not become the response to the next request.
@Suite(.timeLimit(.minutes(3)))
struct StrayBytesTests {
    /// Responds to each request with its path. When the test allows it, it sends a second, unrequested response.
    private final class Server: Sendable {
        let stray = Gate()
        private let isWritten = Lock(false)
        private let server = Lock<ScriptedServer?>(nil)

        init() throws {
            let (stray, isWritten) = (stray, isWritten)
            let server = try ScriptedServer { connection in
                while let head = connection.readHead() {
                    let path = String(head.split(separator: " ")[1])
                    if head.hasPrefix("POST") { connection.skip(4) }
                    connection.write(Self.answer(path))
                    guard connection.number == 0 else { continue }
                    stray.wait()
                    connection.write(Self.answer("stray"))
                    isWritten.withLock { $0 = true }
                }
            }
            self.server.withLock { $0 = server }
        }

        static func answer(_ text: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }

        func url(_ path: String) throws -> URL {
            let base = try #require(server.withLock { $0?.baseURL })
            return try #require(URL(string: "\(base)\(path)"))
        }

        /// Sends the bytes, and waits until the client's system has received them.
        func sendStrayBytes() async throws {
            stray.open()
            try await eventually("the bytes are written") { isWritten.withLock { $0 } }
        }

        deinit { stray.open() }
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `bytes that arrive on an idle connection do not answer the next request`(method: HTTPMethod) async throws {
        for _ in 0..<10 {
            let (server, transport) = (try Server(), CurlTransport())
            func send(_ path: String) async throws -> HTTPResponse {
                let body = method == .post ? HTTPBody(Data("body".utf8)) : nil
                return try await transport.send(
                    HTTPRequest(method, server.url(path), body: body), context: TransferContext())
            }
            #expect(try await send("/1").text == "/1")
            try await server.sendStrayBytes()
            // This request uses another connection, because the bytes have arrived before it is sent.
            #expect(try await send("/2").text == "/2")
            #expect(try await send("/3").text == "/3")
        }
    }

    @Test func `bytes that arrive on an idle connection answer none of many waiting requests`() async throws {
        let server = try Server()
        let transport = CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 1))
        let get = { @Sendable (path: String) in
            try await transport.send(HTTPRequest(.get, server.url(path)), context: TransferContext()).text
        }
        #expect(try await get("/first") == "/first")
        try await server.sendStrayBytes()
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for index in 0..<50 { group.addTask { ("/\(index)", try await get("/\(index)")) } }
            for try await (path, text) in group { #expect(path == text) }
        }
    }

    @Test func `a paused stream keeps its connection when more bytes arrive`() async throws {
        let body = Data.noise(4 << 20)
        let server = try LoopbackServer().on(.get, "/large", .data(body)).on(.get, "/small", .text("small"))
        let other = try LoopbackServer().on(.get, "/", .text("other"))
        let transport = CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 1))
        for _ in 0..<5 {
            #expect(try await transport.send(to: server, "/small").text == "small")
            let stream = try await transport.send(to: server, "/large", destination: .stream).stream
            // Before each of these requests is sent, all connections are checked.
            for _ in 0..<20 { #expect(try await transport.send(to: other).text == "other") }
            var read = Data()
            for try await chunk in try #require(stream) { read += chunk }
            #expect(read.isSame(as: body))
        }
    }
}
