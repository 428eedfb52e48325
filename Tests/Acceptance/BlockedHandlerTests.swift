import Dispatch
import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// A progress handler that cannot run or does not return delays only deliveries to the same queue.
@Suite(.timeLimit(.minutes(3)))
struct BlockedHandlerTests {
    @Test("future.get() on the main thread returns despite a progress handler there; handlers run in order")
    func getOnMain() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .data(Data(count: 200_000)))
        let log = Log<String>()
        let count = try await MainActor.run {
            let future = TestAPI(server).request(.me)
                .downloadProgress { if $0.completed == $0.total { log.add("progress") } }
                .future(.data)
            future.downloadProgress { if $0.completed == $0.total { log.add("progress of the future") } }
                .onSuccess { _ in log.add("value") }
            return try future.get(timeout: .seconds(170)).count
        }
        #expect(count == 200_000)
        try await eventually("the handlers are called") { log.entries.count == 3 }
        #expect(log.entries.last == "value")
    }

    enum Wait: CaseIterable { case alone, shared, future, request }

    @Test("canceling ends an await immediately, even if a progress handler never returns", arguments: Wait.allCases)
    func cancel(wait: Wait) async throws {
        let (rest, handler) = (Gate(), Gate())
        defer {
            rest.open()
            handler.open()
        }
        let server = try ScriptedServer.pausing(at: rest)
        let (queue, busy) = (DispatchQueue(label: "slow"), Counter())
        let request = Lock<Request?>(
            TestAPI(baseURL: server.baseURL).request(.me).downloadProgress(on: queue) { _ in
                busy.increment()
                handler.wait()
            })
        let task = Task {
            switch wait {
            case .alone: return try await request.withLock({ $0.take()! }).data()
            case .shared, .request: return try await request.withLock({ $0! }).data()
            case .future: return try await request.withLock({ $0! }).future(.data).value
            }
        }
        try await eventually("the handler is busy") { busy.count == 1 }
        if wait == .request { request.withLock({ $0 })?.cancel() } else { task.cancel() }
        let thrown = await #expect(throws: (any Error).self) { try await task.value }
        let error = try #require(thrown)
        #expect(error is CancellationError || error == HTTPError.cancelled)
        #expect(busy.count == 1)
    }

    @Test(
        "canceling ends an await that only waits for the last progress report",
        arguments: [Wait.alone, .shared, .future])
    func cancelAfterTheEnd(wait: Wait) async throws {
        let handler = Gate()
        defer { handler.open() }
        let server = try LoopbackServer().on(.get, "/api/me", .data(Data(count: 1000)))
        let (queue, busy, over) = (DispatchQueue(label: "slow"), Counter(), Counter())
        let request = Lock<Request?>(
            TestAPI(server).request(.me)
                .downloadProgress(on: queue) { _ in
                    busy.increment()
                    handler.wait()
                }
                .onEnd(on: .global()) { over.increment() })
        let task = Task {
            switch wait {
            case .alone: return try await request.withLock({ $0.take()! }).data()
            case .future: return try await request.withLock({ $0! }).future(.data).value
            default: return try await request.withLock({ $0! }).data()
            }
        }
        try await eventually("the request is over, and the handler is busy") { busy.count == 1 && over.count == 1 }
        task.cancel()
        _ = try? await task.value
        #expect(busy.count == 1)
    }
}
