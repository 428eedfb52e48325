import Dispatch
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A7 of the acceptance table: the thread and the order of handlers.
struct ThreadTests {
    @Test("handlers run on the main actor, on success and on failure", .behaviors(98), arguments: [200, 500])
    func mainActor(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(status))
        await withCheckedContinuation { continuation in
            TestAPI(server).request(.me).responseData { _ in
                MainActor.assertIsolated("a handler that no actor claims runs on the main actor")
                continuation.resume()
            }
        }
    }

    @MainActor
    @Test("a handler written on the main actor can access its state", .behaviors(98))
    func mainActorState() async throws {
        @MainActor final class Screen {
            var title = ""
            func load(_ api: TestAPI, _ done: CheckedContinuation<Void, Never>) {
                api.request(.me).responseJSON { response in
                    self.title = response.value?["name"].string ?? ""
                    done.resume()
                }
            }
        }
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "1", name: "Ann")))
        let screen = Screen()
        await withCheckedContinuation { screen.load(TestAPI(server), $0) }
        #expect(screen.title == "Ann")
    }

    @Test("a handler given a queue with on: runs on that queue")
    func queue() async throws {
        let server = try LoopbackServer.accepting()
        let queue = DispatchQueue(label: "handlers")
        await withCheckedContinuation { continuation in
            TestAPI(server).request(.me).responseValue(.data, on: queue) { _ in
                dispatchPrecondition(condition: .onQueue(queue))
                continuation.resume()
            }
        }
    }

    @Test("handlers on a global queue do not run on the main thread")
    func global() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        let isMain = await withCheckedContinuation { continuation in
            api.request(.me).responseValue(.data, on: .global()) { _ in
                continuation.resume(returning: isOnMainQueue())
            }
        }
        #expect(!isMain)
    }

    @Test(
        "handlers added late are called once, after success and after failure", .behaviors(99),
        arguments: [200, 404])
    func late(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("body", status: status))
        let request = TestAPI(server).request(.me)
        let first = await response { request.responseData($0) }
        let late = await response { request.responseData($0) }
        let later = await response { request.responseValue(.json, on: .global(), $0) }
        for status in [first.status, late.status, later.status] { #expect(status == 200 || status == 404) }
        #expect(late.data == first.data)
        #expect(server.requests.count == 1)
    }

    @Test("all handlers of one kind are called once")
    func many() async throws {
        let server = try LoopbackServer.accepting()
        let request = TestAPI(server).request(.me)
        let calls = Counter()
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    _ = await response { request.responseValue(.data, on: .global(), $0) }
                    calls.increment()
                }
            }
        }
        #expect(calls.count == 100)
        #expect(server.requests.count == 1)
    }

    @Test("a request is not sent before its first reader or start()")
    func cold() async throws {
        let server = try LoopbackServer.accepting()
        let request = TestAPI(server).request(.me)
        #expect(server.connectionCount == 0)
        request.start().start()
        try await request.void()
        #expect(server.requests.count == 1)
    }
}
