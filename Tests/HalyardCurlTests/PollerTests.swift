import HalyardSystem
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Descriptors that a child process shares, and descriptor numbers that are reused.
struct PollerTests {
    private func pair() throws -> (CInt, CInt) {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }

    @Test func `a closed socket reports no events, even if a child process still holds it`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.watch(socket, for: 2)
        let inherited = dup(socket)
        poller.close(socket)
        #expect(poller.epoll.wait(0) == 0)
        close(inherited)
        close(peer)
    }

    @Test func `the socket of a connection is found by its endpoints`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (listener, port) = try Socket.listening()
        defer { listener.release() }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let sockets = try (0..<3).map { _ in
            let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            let result = withUnsafeBytes(of: &address) { bytes in
                connect(
                    socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
            try #require(result == 0)
            poller.opened(socket)
            return socket
        }
        let connections = try sockets.map { try #require(ConnectionEndpoints(of: $0)) }
        #expect(connections.map(poller.socket) == sockets)
        poller.opened(sockets[0], isDatagram: true)
        poller.watchRaw(sockets[1], for: 0)
        poller.close(sockets[2])
        #expect(connections.map(poller.socket) == [nil, nil, nil])
        for socket in sockets.prefix(2) { close(socket) }
    }

    /// Replaces a socket with another connected one that has the same number, without notifying the poller.
    private func replace(_ socket: CInt) throws -> [CInt] {
        let (other, otherPeer) = try pair()
        dup2(other, socket)
        return [other, otherPeer]
    }

    @Test(arguments: [1, 2] as [CInt])
    func `a socket is watched even if an earlier one with its number was closed unnoticed`(before: CInt) throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.watch(socket, for: before)
        _ = poller.epoll.wait(0)
        let others = try replace(socket)
        poller.watch(socket, for: 2)
        #expect(poller.epoll.wait(0) == 1)
        for descriptor in [socket, peer] + others { close(descriptor) }
    }

    @Test func `a new name lookup socket that reuses the number of an earlier one is watched`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.watch(socket, for: 2)
        let others = try replace(socket)
        #expect(poller.epoll.wait(0) == 0)
        poller.renewLookups()
        #expect(poller.epoll.wait(0) == 1)
        for descriptor in [socket, peer] + others { close(descriptor) }
    }

    @Test func `a connection is watched even if a name lookup used its number before`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.watch(socket, for: 2)
        let others = try replace(socket)
        poller.opened(socket)
        poller.watch(socket, for: 2)
        #expect(poller.epoll.wait(0) == 1)
        for descriptor in [socket, peer] + others { close(descriptor) }
    }

    @Test func `an idle connection is closed when it becomes readable, not when it becomes writable`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.opened(socket)
        poller.watch(socket, for: 2)
        poller.watch(socket, for: 4)
        poller.shutDownStale(unless: { _ in false }, { _, _ in })
        #expect(send(peer, "stray", 5, CInt(MSG_NOSIGNAL)) == 5)
        #expect(poller.epoll.wait(0) == 1)
        poller.shutDownStale(unless: { _ in false }, { _, _ in })
        var byte: UInt8 = 0
        #expect(recv(socket, &byte, 1, CInt(MSG_DONTWAIT)) == 0)
        #expect(send(peer, "more", 4, CInt(MSG_NOSIGNAL)) == -1)
        for descriptor in [socket, peer] { close(descriptor) }
    }
}
