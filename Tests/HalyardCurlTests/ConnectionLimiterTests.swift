import Foundation
import HalyardHTTP
import Testing

@testable import HalyardCurl

/// Which requests start, which wait, and in which order they start.
struct ConnectionLimiterTests {
    private func request(_ host: String) throws -> HTTPRequest {
        try HTTPRequest(.get, try #require(URL(string: "https://\(host)/")))
    }

    private func pending(_ id: UInt64, _ request: HTTPRequest) -> PendingTransfer {
        PendingTransfer(id: id, request, TransferContext())
    }

    private func limiter(perHost: Int, total: Int = 1000) -> ConnectionLimiter {
        ConnectionLimiter(EngineConfiguration(connectionsPerHost: perHost), connectionLimit: total)
    }

    /// Admits a request that need not wait.
    private func admit(_ id: UInt64, _ request: HTTPRequest, _ limiter: inout ConnectionLimiter) throws
        -> OriginQueue
    {
        let queue = limiter.admit(pending(id, request), now: .now)
        return try #require(queue)
    }

    /// Ends a transfer, and returns the requests that start in its place.
    private func release(_ queue: OriginQueue, _ limiter: inout ConnectionLimiter) -> [UInt64] {
        limiter.release(queue)
        var ids: [UInt64] = []
        while let next = limiter.admitNext(after: queue) { ids.append(next.request.id) }
        return ids
    }

    @Test(.timeLimit(.minutes(3)))
    func `a queue that never empties keeps its order, at a cost independent of past requests`() throws {
        let request = try request("host.test")
        var limiter = limiter(perHost: 1)
        let queue = try admit(0, request, &limiter)
        #expect(limiter.admit(pending(1, request), now: .now) == nil)
        var isInOrder = true
        for id in 2..<300_000 as Range<UInt64> {
            _ = limiter.admit(pending(id, request), now: .now)
            isInOrder = release(queue, &limiter) == [id - 1] && isInOrder
        }
        #expect(isInOrder)
    }

    @Test(.timeLimit(.minutes(3)))
    func `beyond the total limit the oldest request starts first, cheaply even with many origins`() throws {
        var limiter = limiter(perHost: 1, total: 1)
        let requests = try (0..<40_000).map { try request("host\($0).test") }
        var queue = try admit(0, requests[0], &limiter)
        for id in 1..<UInt64(requests.count) {
            #expect(limiter.admit(pending(id, requests[Int(id)]), now: .now) == nil)
        }
        for id in stride(from: 3, to: UInt64(requests.count), by: 3) { #expect(limiter.remove(id) != nil) }
        var order: [UInt64] = []
        while true {
            limiter.release(queue)
            guard let next = limiter.admitNext(after: queue) else { break }
            #expect(limiter.admitNext(after: queue) == nil)
            order.append(next.request.id)
            queue = next.queue
        }
        #expect(order == (1..<UInt64(requests.count)).filter { $0 % 3 != 0 })
        #expect(limiter.isEmpty)
    }

    @Test func `a canceled request does not move later requests of its origin forward`() throws {
        var limiter = limiter(perHost: 1, total: 1)
        let (a, b, c) = (try request("a.test"), try request("b.test"), try request("c.test"))
        let queue = try admit(0, a, &limiter)
        for (id, request) in [(1, b), (2, c), (3, b)] as [(UInt64, HTTPRequest)] {
            #expect(limiter.admit(pending(id, request), now: .now) == nil)
        }
        #expect(limiter.remove(1) != nil)
        #expect(release(queue, &limiter) == [2])
    }

    @Test func `each origin has its own limit, which is free again after its transfers end`() throws {
        let requests = [try request("a.test"), try request("b.test")]
        var limiter = limiter(perHost: 3)
        var id: UInt64 = 0
        /// Admits requests until one has to wait.
        func fill(_ request: HTTPRequest) -> [OriginQueue] {
            var queues: [OriginQueue] = []
            id += 1
            while let queue = limiter.admit(pending(id, request), now: .now) {
                queues.append(queue)
                id += 1
            }
            _ = limiter.remove(id)
            return queues
        }
        let first = requests.map { fill($0) }
        #expect(first.map(\.count) == [3, 3])
        for queue in first.joined() { #expect(release(queue, &limiter).isEmpty) }
        // The earlier transfers have left nothing behind.
        for request in requests.reversed() { #expect(fill(request).count == 3) }
        #expect(limiter.isEmpty && fill(requests[0]).isEmpty)
    }

    @Test func `beyond the total limit requests start in the order they were submitted`() throws {
        let (a, b, c) = (try request("a.test"), try request("b.test"), try request("c.test"))
        var limiter = limiter(perHost: 2, total: 2)
        let queue = try admit(1, a, &limiter)
        _ = try admit(2, a, &limiter)
        for (id, request) in [(3, b), (4, a), (5, c), (6, b)] as [(UInt64, HTTPRequest)] {
            #expect(limiter.admit(pending(id, request), now: .now) == nil)
        }
        _ = limiter.remove(5)
        #expect(release(queue, &limiter) == [3])
        #expect(release(queue, &limiter) == [4])
        #expect(release(queue, &limiter) == [6] && limiter.isEmpty)
    }

    @Test func `a multiplexed connection admits more requests and counts until its last transfer ends`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var limiter = limiter(perHost: 1, total: 1)
        let queue = try admit(1, a, &limiter)
        for (id, request) in [(2, b), (3, a), (4, a)] as [(UInt64, HTTPRequest)] {
            #expect(limiter.admit(pending(id, request), now: .now) == nil)
        }
        limiter.markMultiplexed(queue)
        var ids: [UInt64] = []
        while let next = limiter.admitNext(after: queue) { ids.append(next.request.id) }
        #expect(ids == [3, 4])
        #expect(limiter.admit(pending(5, a), now: .now) === queue)
        // The only connection is in use until all four transfers have ended.
        for _ in 0..<3 { #expect(release(queue, &limiter).isEmpty) }
        #expect(release(queue, &limiter) == [2] && limiter.isEmpty)
        #expect(limiter.admit(pending(6, a), now: .now) == nil)
    }

    @Test func `an origin that multiplexed before is remembered`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var limiter = limiter(perHost: 1)
        let queue = try admit(1, a, &limiter)
        limiter.markMultiplexed(queue)
        #expect(release(queue, &limiter).isEmpty)
        _ = try admit(2, b, &limiter)
        for id in 3..<100 as Range<UInt64> { _ = try admit(id, a, &limiter) }
        #expect(limiter.admit(pending(100, b), now: .now) == nil)
    }

    @Test func `a canceled request is skipped`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var limiter = limiter(perHost: 2, total: 1)
        let queue = try admit(1, a, &limiter)
        for (id, request) in [(2, a), (3, b), (4, a)] as [(UInt64, HTTPRequest)] {
            #expect(limiter.admit(pending(id, request), now: .now) == nil)
        }
        _ = limiter.remove(2)
        #expect(release(queue, &limiter) == [3])
    }

    @Test func `an unlimited number of connections per host does not overflow`() throws {
        var limiter = limiter(perHost: .max)
        let queue = try admit(1, request("host.test"), &limiter)
        limiter.markMultiplexed(queue)
        #expect(try admit(2, request("host.test"), &limiter) === queue)
    }
}
