import Glibc
import Testing

@testable import HalyardCurl

/// What the system does with descriptors that others have as well, or that come back.
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
        #expect(poller.queue.wait(0) == 0)
        close(inherited)
        close(peer)
    }

    @Test func `a socket is watched though another of its number was closed in silence`() throws {
        var poller = try #require(Poller())
        defer { poller.free() }
        let (socket, peer) = try pair()
        poller.watch(socket, for: 1)
        let (other, otherPeer) = try pair()
        dup2(other, socket)
        poller.watch(socket, for: 2)
        #expect(poller.queue.wait(0) == 1)
        for descriptor in [socket, peer, other, otherPeer] { close(descriptor) }
    }
}
