import HalyardSystem
import Testing

@testable import HalyardCurl

/// Sockets of UDP, which are not judged as those of TCP are.
struct QUICSocketTests {
    @Test(arguments: [true, false])
    func `an idle connection that receives something is kept only if it is QUIC`(isDatagram: Bool) throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        poller.opened(pair[0], isDatagram: isDatagram)
        poller.watch(pair[0], for: 1)
        poller.watch(pair[0], for: 4)  // POLL_REMOVE
        #expect(send(pair[1], "a", 1, CInt(MSG_NOSIGNAL)) == 1)
        let count = poller.epoll.wait(0)
        poller.shutDownStale(of: count, unless: { _ in false }, { _, _ in })
        #expect((send(pair[1], "b", 1, CInt(MSG_NOSIGNAL)) == 1) == isDatagram)
    }

    @Test func `a QUIC connection is not taken for a TCP connection with the same ports`() throws {
        let socket = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) == 0 }
        }
        try #require(isConnected)
        let endpoints = try #require(ConnectionEndpoints(of: socket))
        var connections = ShutDownConnections()
        connections.insert(socket + 1, endpoints)
        #expect(connections.contains { endpoints })
        connections.insert(datagramSocket: socket)
        #expect(!connections.contains { endpoints })
        connections.remove(socket)
        #expect(connections.contains { endpoints })
    }
}
