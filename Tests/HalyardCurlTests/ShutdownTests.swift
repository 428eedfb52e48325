import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// The end of engines, and requests that must not be sent twice.
@Suite(.timeLimit(.minutes(3)))
struct ShutdownTests {
    @Test func `shutdown ends every transfer and stream, and later requests fail`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/slow", .status(200).delayed(by: .seconds(3600)))
            .on(.get, "/long", .data(Data(count: 100 << 20)))
        let transport = CurlTransport()
        let stream = try #require(try await transport.send(to: server, "/long", destination: .stream).stream)
        let transfers = (0..<10).map { _ in Task { try await transport.send(to: server, "/slow") } }
        try await eventually("all are under way") { server.requests.count == 11 }
        transport.shutdown()
        for transfer in transfers {
            await #expect(throws: HTTPError(.shutDown)) { try await transfer.value }
        }
        await #expect(throws: HTTPError(.shutDown)) { for try await _ in stream {} }
        await #expect(throws: HTTPError(.shutDown)) { try await transport.send(to: server, "/slow") }
        try await eventually("all connections are closed") { server.openConnectionCount == 0 }
        #expect(server.requests.count == 11)
        transport.shutdown()
    }

    @Test func `requests that race with a shutdown end exactly once`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        for _ in 0..<20 {
            let transport = CurlTransport()
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        if index == 10 { transport.shutdown() }
                        do { return try await transport.send(to: server).status == 200 ? 1 : 0 } catch {
                            return error == HTTPError(.shutDown) ? 1 : 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(count == 20)
        }
    }

    @Test func `a stream continues after its engine is released`() async throws {
        let server = try LoopbackServer().on(.get, "/", .data(Data(count: 5 << 20)))
        var transport: CurlTransport? = CurlTransport()
        let stream = try #require(try await transport?.send(to: server, destination: .stream).stream)
        transport = nil
        var count = 0
        for try await chunk in stream { count += chunk.count }
        #expect(count == 5 << 20)
        try await eventually("its connection is closed") { server.openConnectionCount == 0 }
    }

    @Test(
        "a non-idempotent request is sent once, even if a kept connection turns out to be dead",
        arguments: [HTTPMethod.post, .patch, .get, .put])
    func once(method: HTTPMethod) async throws {
        for body in [nil, HTTPBody(Data("body".utf8))] {
            // The server reads the second request on a connection, and closes the connection without a response.
            let server = try LoopbackServer()
                .on(.get, "/first", .status(200))
                .on(method, "/", .raw("").closingConnection(), .status(200))
            let transport = CurlTransport()
            _ = try await transport.send(to: server, "/first")
            let outcome = try? await transport.send(method, to: server, body: body).status
            let sent = server.requests.count { $0.path == "/" }
            #expect(method.isIdempotent ? sent <= 2 : sent == 1)
            #expect(outcome == (sent == 2 ? 200 : nil))
        }
    }
}
