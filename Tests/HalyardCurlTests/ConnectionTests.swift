import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Connections are reused, shared and closed.
@Suite(.timeLimit(.minutes(3)))
struct ConnectionTests {
    @Test func `two thousand requests in sequence use one connection`() async throws {
        let transport = CurlTransport()
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        for _ in 0..<2000 { #expect(try await transport.send(to: server).data.count == 2) }
        #expect(server.connectionCount == 1)
        #expect(server.openConnectionCount == 1)
    }

    @Test func `a thousand concurrent requests finish over at most 64 connections`() async throws {
        let transport = CurlTransport()
        let server = try LoopbackServer().on(.get, "/{id}") { .text($0.pathParameters["id"] ?? "") }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for id in 0..<1000 {
                group.addTask { try await transport.send(to: server, "/\(id)").text == "\(id)" }
            }
            var right = 0
            for try await isRight in group { right += isRight ? 1 : 0 }
            #expect(right == 1000)
        }
        #expect(server.connectionCount <= 64)
    }

    @Test func `a released engine closes its connections`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        var transport: CurlTransport? = CurlTransport()
        _ = try await transport?.send(to: server)
        #expect(server.openConnectionCount == 1)
        transport = nil
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `engines can be created and released repeatedly`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        for _ in 0..<100 { #expect(try await CurlTransport().send(to: server).text == "ok") }
        try await eventually("the connections are closed") { server.openConnectionCount == 0 }
    }

    @Test func `a program started in the meantime does not inherit connections and hold them open`() async throws {
        let transport = CurlTransport()
        let server = try LoopbackServer()
        let (port, flags) = (server.port, Lock<[Int32]>([]))
        // The flags are read while the connection is open. After the response it may be closed.
        server.on(.get, "/") { _ in
            // All descriptors are listed, because other tests may have thousands open.
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
            let ours = open.compactMap(Int32.init).filter { Self.port(ofPeer: $0) == port }
            flags.withLock { $0 = ours.map { fcntl($0, F_GETFD) } }
            return .text("ok")
        }
        _ = try await transport.send(to: server)
        let found = flags.withLock { $0 }
        #expect(found.count == 1 && found.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(found)")
    }

    private static func port(ofPeer descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}
