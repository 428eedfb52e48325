import Foundation
import HalyardHTTP
import Testing

@testable import HalyardCurl

/// Who waits for whom.
struct AdmissionTests {
    @Test(.timeLimit(.minutes(3)))
    func `a queue that is never empty is in order, and costs no more the more went through it`() throws {
        let url = try #require(URL(string: "http://host.test/"))
        let request = try HTTPRequest(.get, url)
        func start(_ id: UInt64) -> Start { Start(id: id, request, TransferContext(), pipes: [], pouring: nil) }

        var admission = Admission(EngineConfiguration(connectionsPerHost: 1))
        var next: UInt64 = 0
        while admission.enter(start(next), now: .now) { next += 1 }
        var isInOrder = true
        for id in (next + 1)..<(next + 300_000) {
            _ = admission.enter(start(id), now: .now)
            isInOrder = admission.leave(request.origin)?.start.id == id - 1 && isInOrder
        }
        #expect(isInOrder)
    }
}
