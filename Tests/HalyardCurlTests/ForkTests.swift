import Foundation
import Glibc
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

@Suite(.timeLimit(.minutes(1)))
struct ForkTests {
    @Test func `a child of the process is refused what it would take from its parent's connections`() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer().on(.get, "/", .status(200))
            let mailbox = try EventLoop.start(EngineConfiguration())
            let url = try #require(URL(string: "\(server.baseURL)/"))
            let request = try HTTPRequest(.get, url)
            func start(_ id: UInt64) -> Start { Start(id: id, request, TransferContext(), pipes: [], pouring: nil) }

            let first = start(mailbox.nextID())
            try mailbox.post(first)
            #expect(try await first.response().status == 200)
            // Swift hides it, for what it does to threads: the child does nothing but ask, and ends.
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> pid_t).self)
            let (second, cancelled) = (start(mailbox.nextID()), mailbox.nextID())
            let child = fork()
            if child == 0 {
                do throws(HTTPError) { try mailbox.post(second) } catch {
                    _exit(error.kind == .engineUnavailable && !mailbox.post(.cancel(cancelled)) ? 7 : 1)
                }
                _exit(0)
            }
            var status: CInt = 0
            #expect(waitpid(child, &status, 0) == child && status == 7 << 8)
            #expect(server.requests.count == 1)
            // The parent goes on.
            try mailbox.post(second)
            #expect(try await second.response().status == 200)
            mailbox.post(.shutdown)
        }
    }
}
