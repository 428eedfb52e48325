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
        var active: [Start] = []
        while true {
            let next = start(UInt64(active.count), request)
            guard admission.enter(next, now: .now) else { break }
            active.append(next)
        }
        var isInOrder = true
        for index in 0..<300_000 {
            _ = admission.enter(start(UInt64(active.count + 1), request), now: .now)
            guard let next = admission.leave(active[index]) else { return #expect(Bool(false), "nobody came") }
            isInOrder = next.start.id == UInt64(active.count) && isInOrder
            active.append(next.start)
        }
        #expect(isInOrder)
    }

    @Test func `each origin has a line of its own, and all of it again when it is empty`() throws {
        let requests = [try request("a.test"), try request("b.test")]
        var admission = Admission(EngineConfiguration(connectionsPerHost: 1))
        var id: UInt64 = 0
        /// Those of one origin that may go at once.
        func fill(_ request: HTTPRequest) -> [Start] {
            var active: [Start] = []
            while true {
                id += 1
                let next = start(id, request)
                guard admission.enter(next, now: .now) else { break }
                active.append(next)
            }
            _ = admission.remove(id)
            return active
        }
        let first = requests.map { fill($0) }
        #expect(first[0].count == first[1].count && first[0].count > 1)
        for start in first.joined() { #expect(admission.leave(start) == nil) }
        // In the other order, and one by the other: nothing was kept of those before.
        for request in requests.reversed() { #expect(fill(request).count == first[0].count) }
        #expect(admission.isEmpty)
        #expect(admission.leave(first[0][0]) == nil)  // a second time does nothing
        #expect(fill(requests[0]).isEmpty)
    }
}
