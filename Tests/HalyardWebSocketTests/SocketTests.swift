import Foundation
import HalyardWebSocket
import TestSupport
import Testing

/// Sockets over real connections.
@Suite(.timeLimit(.minutes(3)))
struct SocketTests {
    @Test func `a text is sent, its echo received, and the socket closed`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await API(baseURL: server.baseURL).webSocket(Route(path: "/feed"))
        try await socket.send(.text("Grüße"))
        #expect(try await socket.receive() == .text("Grüße"))
        try await socket.close()
        #expect(socket.closeCode == .normalClosure)
        #expect(try await socket.receive() == nil)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }
}
