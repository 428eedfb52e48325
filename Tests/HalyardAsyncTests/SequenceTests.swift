import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A response as a sequence.
@Suite(.timeLimit(.minutes(3)))
struct SequenceTests {
    struct API: HTTPProvider { let baseURL: URL }

    @Test(.behaviors(112), .defects("BN20")) func `a loop over a request gets one value and then ends`()
        async throws
    {
        let server = try LoopbackServer().on(.get, "/", .json([1, 2, 3]))
        let request = API(baseURL: server.baseURL).request(Route(path: "/"))
        for _ in 0..<2 {
            var values: [[Int]] = []
            for try await value in request.sequence(.object([Int].self)) { values.append(value) }
            #expect(values == [[1, 2, 3]])
        }
        #expect(server.requests.count == 1)
    }

    @Test(.behaviors(112)) func `a loop over a failed request throws its error`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(404))
        let request = API(baseURL: server.baseURL).request(Route(path: "/"))
        await #expect(throws: HTTPError.status(404)) {
            for try await _ in request.sequence(.json) { Issue.record("there is no value") }
        }
    }
}
