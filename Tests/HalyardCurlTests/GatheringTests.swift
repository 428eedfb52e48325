import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Fast streams: pieces are joined for the reader, without a delay.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GatheringTests {
    private let transport = CurlTransport()

    private func open(_ server: ScriptedServer) async throws -> HTTPResponse.Stream {
        let request = try HTTPRequest(.get, server.baseURL, destination: .stream)
        return try #require(try await transport.send(request, context: TransferContext()).stream)
    }

    @Test(arguments: [1, 20_000, 200_000], [true, false])
    func `a small piece is delivered even if the server sends nothing more`(size: Int, isAlone: Bool) async throws {
        let pieces = 400
        let seen = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 0..<pieces {
                guard connection.write(Data(count: size)) else { return }
                seen.wait()
            }
        }
        let silent = try ScriptedServer { connection in
            connection.readHead()
            connection.drain()
        }
        let other = isAlone ? nil : Task { try await open(silent) }
        defer { other?.cancel() }
        if other != nil { try await eventually("the other has begun") { silent.connectionCount == 1 } }
        var count = 0
        for try await chunk in try await open(server) {
            count += chunk.count
            if count % size == 0 { seen.signal() }
        }
        #expect(count == size * pieces)
        // The other connection would be closed after a minute. Without a notification, a piece waits for a second.
        #expect(silent.connectionCount == (isAlone ? 0 : 1))
    }

    private static func endless() throws -> ScriptedServer {
        try ScriptedServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(Data(count: 1 << 18)) {}
        }
    }

    @Test func `other requests are answered while a stream flows`() async throws {
        let server = try Self.endless()
        let other = try LoopbackServer().on(.get, "/", .text("here"))
        let stream = try await open(server)
        let reading = Task {
            var count = 0
            for try await chunk in stream { count += chunk.count }
            return count
        }
        for _ in 0..<300 { #expect(try await transport.send(to: other).text == "here") }
        #expect(other.requests.count == 300 && server.connectionCount == 1)
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await eventually("the stream's connection is closed") { server.connectionCount == 0 }
    }
    @Test func `an engine shut down during a stream releases it`() async throws {
        final class Token: Sendable {}
        let server = try Self.endless()
        for _ in 0..<50 {
            var token: Token? = Token()
            weak let held = token
            let transport = CurlTransport()
            var context = TransferContext()
            context.progress = { [token] _, _ in _ = token }
            let request = try HTTPRequest(.get, server.baseURL, destination: .stream)
            let stream = try #require(try await transport.send(request, context: context).stream)
            context = TransferContext()
            token = nil
            var count = 0
            await #expect(throws: HTTPError(.shutDown)) {
                for try await chunk in stream {
                    if count < 2 << 20 && count + chunk.count >= 2 << 20 { transport.shutdown() }
                    count += chunk.count
                }
            }
            try await eventually("nothing holds it") { held == nil }
        }
    }
}
