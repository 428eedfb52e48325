import HalyardSystem
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
