import CHalyardCurl
import HalyardHTTP
import HalyardSystem
import Testing

@testable import HalyardCurl

/// Requests that start together over one HTTP/2 connection. The kernel says whether it keeps their packets back.
struct RequestBatchTests {
    private let socket = HalyardSystem.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    private let queue = OriginQueue(nil, limit: 6)

    /// Whether a socket sends full packets only.
    private func isHeld(_ socket: CInt) -> Bool {
        var (value, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        return getsockopt(socket, CInt(IPPROTO_TCP), TCP_CORK, &value, &length) == 0 && value != 0
    }

    @Test(arguments: [0, 1, 3, 4, 100])
    func `the packets of at least four requests are kept back until all have started`(count: Int) {
        defer { systemClose(socket) }
        var batch = RequestBatch()
        batch.learn(queue, port: 1) { socket }
        for _ in 0..<2 {
            for _ in 0..<count { batch.add(queue) }
            #expect(batch.isEmpty == (count == 0))
            batch.begin()
            #expect(isHeld(socket) == (count >= 4) && batch.isEmpty)
            batch.end()
            #expect(!isHeld(socket))
        }
    }

    @Test func `only the connection with many requests is held, and only if it is known`() {
        let others = (0..<2).map { _ in HalyardSystem.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }
        defer { for socket in [socket] + others { systemClose(socket) } }
        let (few, unknown) = (OriginQueue(nil, limit: 6), OriginQueue(nil, limit: 6))
        var batch = RequestBatch()
        batch.learn(queue, port: 1) { socket }
        batch.learn(queue, port: 2) { others[0] }
        batch.learn(few, port: 2) { others[0] }
        batch.learn(unknown, port: 3) { nil }
        for _ in 0..<4 { for queue in [queue, unknown] { batch.add(queue) } }
        batch.add(few)
        batch.begin()
        #expect(isHeld(socket) && !isHeld(others[0]) && !isHeld(others[1]))
        batch.end()
        #expect(!isHeld(socket) && unknown.socket == nil)
    }

    @Test func `a closed connection is forgotten, also while its requests start`() {
        defer { systemClose(socket) }
        var batch = RequestBatch()
        batch.learn(queue, port: 1) { socket }
        for _ in 0..<4 { batch.add(queue) }
        batch.begin()
        batch.remove(socket)
        batch.end()
        // Another connection could have the number by now.
        #expect(isHeld(socket) && queue.socket == nil)
        let other = OriginQueue(nil, limit: 6)
        batch.learn(queue, port: 1) { socket }
        #expect(queue.socket == nil)  // The late response of the closed connection says nothing.
        batch.learn(queue, port: 2) { socket }
        batch.learn(other, port: 2) { socket }
        #expect(queue.socket == nil && other.socket == socket)
    }

    @Test func `a new queue takes over the connection of its origin`() throws {
        defer { systemClose(socket) }
        let origins = try ["https://a.example", "https://b.example"].map { try Origin(ofURL: $0) }
        var batch = RequestBatch()
        batch.learn(OriginQueue(origins[0], limit: 6), port: 1) { socket }
        for (origin, isKnown) in zip(origins, [true, false]) {
            let queue = OriginQueue(origin, limit: 6)
            for _ in 0..<4 { batch.add(queue) }
            batch.begin()
            #expect(isHeld(socket) == isKnown && queue.socket == (isKnown ? socket : nil))
            batch.end()
        }
    }
}
