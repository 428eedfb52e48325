import HalyardSystem
import Testing

@testable import HalyardCurl

/// Descriptors that a child process has as well, and numbers of descriptors that are used again.
struct PollerTests {
    private func pair() throws -> (CInt, CInt) {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }

    @Test func `a socket that is closed is heard of no more, though a child process has it still`() throws {
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

    /// A connected socket under the number of one that has just been closed in silence, and ready for writing.
    private func replace(_ socket: CInt) throws -> [CInt] {
        let (other, otherPeer) = try pair()
        dup2(other, socket)
        return [other, otherPeer]
    }

    @Test(arguments: [1, 2] as [CInt])
    func `a socket is watched though another of its number was closed in silence`(before: CInt) throws {
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

    @Test func `a socket of a name lookup is watched though libcurl did not notice that it is another`() throws {
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

    @Test func `a connection is watched though a name lookup had its number`() throws {
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

    @Test func `an idle connection is ended when something comes on it, and not because it can be written to`() throws {
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
