import Foundation
import HalyardHTTP
import HalyardSystem
import HalyardTesting
import Testing

@testable import HalyardCurl

@Suite(.timeLimit(.minutes(5)))
struct ForkTests {
    @Test func `a forked child cannot use the parent's engine, but the parent still can`() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer().on(.get, "/", .status(200))
            let loop = try EventLoop.start(EngineConfiguration())
            let url = try #require(URL(string: "\(server.baseURL)/"))
            let request = try HTTPRequest(.get, url)
            func pending(_ id: UInt64) -> PendingTransfer {
                PendingTransfer(id: id, request, TransferContext())
            }

            let first = pending(loop.nextID())
            try loop.submit(first)
            #expect(try await first.response().status == 200)
            // Swift hides `fork` because of threads. The child only submits a request, and exits.
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> pid_t).self)
            let (second, cancelled) = (pending(loop.nextID()), loop.nextID())
            let child = fork()
            if child == 0 {
                do throws(HTTPError) { try loop.submit(second) } catch {
                    _exit(error.kind == .engineUnavailable && !loop.post(.cancel(cancelled)) ? 7 : 1)
                }
                _exit(0)
            }
            var status: CInt = 0
            #expect(waitpid(child, &status, 0) == child && status == 7 << 8)
            #expect(server.requests.count == 1)
            // The parent's engine still works.
            try loop.submit(second)
            #expect(try await second.response().status == 200)
            loop.post(.shutdown)
        }
    }
}
