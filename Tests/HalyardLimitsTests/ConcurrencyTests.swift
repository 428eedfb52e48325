import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardLimits

/// Limits for requests at once, over real connections.
@Suite(.timeLimit(.minutes(3)))
struct ConcurrencyTests {
    /// Counts the requests that a server has at once.
    private final class Load: Sendable {
        private let counts = Lock((now: 0, most: 0))
        let gate = Gate()

        var most: Int { counts.withLock { $0.most } }
        var now: Int { counts.withLock { $0.now } }

        func visit() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            gate.wait()
            counts.withLock { $0.now -= 1 }
        }
    }

    private func server(_ load: Load) throws -> LoopbackServer {
        try LoopbackServer().on(.get, "/*") { request in
            load.visit()
            return .text(request.path)
        }
    }

    @Test func `no more than the limit are sent to a host at once, and another host does not wait`() async throws {
        let (load, other) = (Load(), Load())
        let (server, second) = (try server(load), try self.server(other))
        let client = HTTPClient(configuration: .init(policies: [.concurrency(perHost: 2)]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in [server, second] {
                for number in 0..<6 {
                    group.addTask {
                        let api = TestAPI(baseURL: server.baseURL, client: client)
                        _ = try await api.request(Route(path: "/\(number)")).text()
                    }
                }
            }
            try await eventually("both hosts have two") { load.now == 2 && other.now == 2 }
            load.gate.open()
            other.gate.open()
            try await group.waitForAll()
        }
        #expect(load.most == 2 && other.most == 2)
        #expect(server.requests.count == 6 && second.requests.count == 6)
    }
}
