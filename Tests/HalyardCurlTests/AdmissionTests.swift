import Foundation
import HalyardHTTP
import Testing

@testable import HalyardCurl

/// Who waits for whom.
struct AdmissionTests {
    private func request(_ host: String) throws -> HTTPRequest {
        try HTTPRequest(.get, try #require(URL(string: "http://\(host)/")))
    }

    private func start(_ id: UInt64, _ request: HTTPRequest) -> Start {
        Start(id: id, request, TransferContext(), pipes: [], pouring: nil)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a queue that is never empty is in order, and costs no more the more went through it`() throws {
        let request = try request("host.test")
        var admission = Admission(EngineConfiguration(connectionsPerHost: 1))
        var next: UInt64 = 0
        var line: Admission.Line?
        while let entered = admission.enter(start(next, request), now: .now) { (next, line) = (next + 1, entered) }
        let full = try #require(line)
        var isInOrder = true
        for id in (next + 1)..<(next + 300_000) {
            _ = admission.enter(start(id, request), now: .now)
            isInOrder = admission.leave(full)?.start.id == id - 1 && isInOrder
        }
        #expect(isInOrder)
    }

    @Test func `each origin has a line of its own, and all of it again when it is empty`() throws {
        let requests = [try request("a.test"), try request("b.test")]
        var admission = Admission(EngineConfiguration(connectionsPerHost: 1))
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
        #expect(first[0].count == first[1].count && first[0].count > 1)
        for line in first.joined() { #expect(admission.leave(line) == nil) }
        // In the other order, and one by the other: nothing was kept of those before.
        for request in requests.reversed() { #expect(fill(request).count == first[0].count) }
        #expect(admission.isEmpty && fill(requests[0]).isEmpty)
    }

    @Test func `a limit without end is one that can be counted to`() throws {
        var admission = Admission(EngineConfiguration(connectionsPerHost: .max))
        #expect(try admission.enter(start(1, request("host.test")), now: .now) != nil)
    }
}
