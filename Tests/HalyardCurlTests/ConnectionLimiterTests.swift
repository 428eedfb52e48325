import Foundation
import HalyardHTTP
import Testing

@testable import HalyardCurl

/// Who waits for whom.
struct ConnectionLimiterTests {
    private func request(_ host: String) throws -> HTTPRequest {
        try HTTPRequest(.get, try #require(URL(string: "https://\(host)/")))
    }

    private func start(_ id: UInt64, _ request: HTTPRequest) -> Start {
        Start(id: id, request, TransferContext(), pipes: [], pouring: nil)
    }

    private func admission(perHost: Int, inAll: Int = 1000) -> Admission {
        Admission(EngineConfiguration(connectionsPerHost: perHost), connections: inAll)
    }

    /// Lets in one that need not wait.
    private func enter(_ id: UInt64, _ request: HTTPRequest, _ admission: inout Admission) throws -> Admission.Line {
        let line = admission.enter(start(id, request), now: .now)
        return try #require(line)
    }

    /// Says that one is done, and lets go those whose turn it is.
    private func leave(_ line: Admission.Line, _ admission: inout Admission) -> [UInt64] {
        admission.leave(line)
        var ids: [UInt64] = []
        while let next = admission.next(after: line) { ids.append(next.start.id) }
        return ids
    }

    @Test(.timeLimit(.minutes(3)))
    func `a queue that is never empty is in order, and costs no more the more went through it`() throws {
        let request = try request("host.test")
        var admission = admission(perHost: 1)
        let line = try enter(0, request, &admission)
        #expect(admission.enter(start(1, request), now: .now) == nil)
        var isInOrder = true
        for id in 2..<300_000 as Range<UInt64> {
            _ = admission.enter(start(id, request), now: .now)
            isInOrder = leave(line, &admission) == [id - 1] && isInOrder
        }
        #expect(isInOrder)
    }

    @Test(.timeLimit(.minutes(3)))
    func `where connections are scarce the longest wait ends first, and costs no more with many origins`() throws {
        var admission = admission(perHost: 1, inAll: 1)
        let requests = try (0..<40_000).map { try request("host\($0).test") }
        var line = try enter(0, requests[0], &admission)
        for id in 1..<UInt64(requests.count) {
            #expect(admission.enter(start(id, requests[Int(id)]), now: .now) == nil)
        }
        for id in stride(from: 3, to: UInt64(requests.count), by: 3) { #expect(admission.remove(id) != nil) }
        var order: [UInt64] = []
        while true {
            admission.leave(line)
            guard let next = admission.next(after: line) else { break }
            #expect(admission.next(after: line) == nil)
            order.append(next.start.id)
            line = next.line
        }
        #expect(order == (1..<UInt64(requests.count)).filter { $0 % 3 != 0 })
        #expect(admission.isEmpty)
    }

    @Test func `who has left a line does not move its others forward`() throws {
        var admission = admission(perHost: 1, inAll: 1)
        let (a, b, c) = (try request("a.test"), try request("b.test"), try request("c.test"))
        let line = try enter(0, a, &admission)
        for (id, request) in [(1, b), (2, c), (3, b)] as [(UInt64, HTTPRequest)] {
            #expect(admission.enter(start(id, request), now: .now) == nil)
        }
        #expect(admission.remove(1) != nil)
        #expect(leave(line, &admission) == [2])
    }

    @Test func `each origin has a line of its own, and all of it again when it is empty`() throws {
        let requests = [try request("a.test"), try request("b.test")]
        var admission = admission(perHost: 3)
        var id: UInt64 = 0
        /// Those of one origin that may go at once.
        func fill(_ request: HTTPRequest) -> [Admission.Line] {
            var lines: [Admission.Line] = []
            id += 1
            while let line = admission.enter(start(id, request), now: .now) {
                lines.append(line)
                id += 1
            }
            _ = admission.remove(id)
            return lines
        }
        let first = requests.map { fill($0) }
        #expect(first.map(\.count) == [3, 3])
        for line in first.joined() { #expect(leave(line, &admission).isEmpty) }
        // In the other order, and one by the other: nothing was kept of those before.
        for request in requests.reversed() { #expect(fill(request).count == 3) }
        #expect(admission.isEmpty && fill(requests[0]).isEmpty)
    }

    @Test func `connections in all are shared out in the order in which they were asked for`() throws {
        let (a, b, c) = (try request("a.test"), try request("b.test"), try request("c.test"))
        var admission = admission(perHost: 2, inAll: 2)
        let line = try enter(1, a, &admission)
        _ = try enter(2, a, &admission)
        for (id, request) in [(3, b), (4, a), (5, c), (6, b)] as [(UInt64, HTTPRequest)] {
            #expect(admission.enter(start(id, request), now: .now) == nil)
        }
        _ = admission.remove(5)
        #expect(leave(line, &admission) == [3])
        #expect(leave(line, &admission) == [4])
        #expect(leave(line, &admission) == [6] && admission.isEmpty)
    }

    @Test func `connections that carry many let more go, and count until all of them are done`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var admission = admission(perHost: 1, inAll: 1)
        let line = try enter(1, a, &admission)
        for (id, request) in [(2, b), (3, a), (4, a)] as [(UInt64, HTTPRequest)] {
            #expect(admission.enter(start(id, request), now: .now) == nil)
        }
        admission.share(line)
        var ids: [UInt64] = []
        while let next = admission.next(after: line) { ids.append(next.start.id) }
        #expect(ids == [3, 4])
        #expect(admission.enter(start(5, a), now: .now) === line)
        // The one that there may be is in use until all four are done.
        for _ in 0..<3 { #expect(leave(line, &admission).isEmpty) }
        #expect(leave(line, &admission) == [2] && admission.isEmpty)
        #expect(admission.enter(start(6, a), now: .now) == nil)
    }

    @Test func `an origin whose connections carried many is known when it comes again`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var admission = admission(perHost: 1)
        let line = try enter(1, a, &admission)
        admission.share(line)
        #expect(leave(line, &admission).isEmpty)
        _ = try enter(2, b, &admission)
        for id in 3..<100 as Range<UInt64> { _ = try enter(id, a, &admission) }
        #expect(admission.enter(start(100, b), now: .now) == nil)
    }

    @Test func `who has left is passed over, and overtakes nobody`() throws {
        let (a, b) = (try request("a.test"), try request("b.test"))
        var admission = admission(perHost: 2, inAll: 1)
        let line = try enter(1, a, &admission)
        for (id, request) in [(2, a), (3, b), (4, a)] as [(UInt64, HTTPRequest)] {
            #expect(admission.enter(start(id, request), now: .now) == nil)
        }
        _ = admission.remove(2)
        #expect(leave(line, &admission) == [3])
    }

    @Test func `a limit without end is one that can be counted to`() throws {
        var admission = admission(perHost: .max)
        let line = try enter(1, request("host.test"), &admission)
        admission.share(line)
        #expect(try enter(2, request("host.test"), &admission) === line)
    }
}
