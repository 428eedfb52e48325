import Dispatch
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The delivery of outcomes: which observers are called, on which queue, and in which order.
@Suite(.timeLimit(.minutes(3)))
struct DeliveryTests {
    @Test(
        "the response is read off the main actor before its handler is called on it", .behaviors(100), .defects("BN31")
    )
    func serializers() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("abc"))
        let log = Log<String>()
        let checksum = ResponseSerializer { response in
            log.add(isOnMainQueue() ? "read on main" : "read")
            return response.data.reduce(0) { $0 + Int($1) }
        }
        let sum = await withCheckedContinuation { done in
            TestAPI(server).request(.me).responseValue(checksum) { response in
                MainActor.assertIsolated()
                log.add("handled")
                done.resume(returning: response.value)
            }
        }
        #expect(sum == 294)
        #expect(log.entries == ["read", "handled"])
    }

    @Test("a body is decoded only if observers request it", .defects("BN31"))
    func onlyWhatIsAsked() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(text: "{broken"))
        let request = TestAPI(server).request(.me)
        #expect(try await request.text() == "{broken")
        #expect(try await request.data().count == 7)
        try await request.void()
        await #expect(throws: HTTPError.decoding) { try await request.json() }
        #expect(server.requests.count == 1)
    }

    @Test("every method that takes a queue uses it", .behaviors(101))
    func queues() async throws {
        let server = try LoopbackServer().on(.post, "/api/me", .json(["id": "1"]))
        let (queue, folder, calls) = (DispatchQueue(label: "handlers"), try TemporaryFolder(), Counter())
        let here: @Sendable () -> Void = {
            dispatchPrecondition(condition: .onQueue(queue))
            calls.increment()
        }
        let route = Route(path: "/me", method: .post, body: .text("x"))
        TestAPI(server).request(route)
            .uploadProgress(on: queue) { _ in here() }.downloadProgress(on: queue) { _ in here() }
            .responseValue(.void, on: queue) { _ in here() }.responseValue(.data, on: queue) { _ in here() }
            .responseValue(.text, on: queue) { _ in here() }.responseValue(.json, on: queue) { _ in here() }
            .responseValue(.object([String: String].self), on: queue) { _ in here() }
            .responseValue(.void, on: queue) { _ in here() }
            .responseFile(to: folder.file("f"), on: queue) { _ in here() }
            .onEnd(on: queue) { here() }
        try await eventually("all are called") { calls.count == 10 }
    }

    @Test("handlers do not replace each other", .defects("BN14"))
    func manyKinds() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "1", name: "Ann")))
        let calls = Log<String>()
        await withCheckedContinuation { done in
            TestAPI(server).request(.me)
                .response { _ in calls.add("response") }.response { _ in calls.add("response") }
                .responseData { _ in calls.add("data") }.responseText { _ in calls.add("text") }
                .responseJSON { _ in calls.add("json") }
                .responseObject { (_: Response<User>) in calls.add("object") }
                .onEnd { calls.add("end") }
                .onEnd { done.resume() }
        }
        #expect(calls.entries == ["response", "response", "data", "text", "json", "object", "end"])
    }

    @Test(
        "onEnd is called after the other handlers of its queue and after the last progress report",
        arguments: [200, 500])
    func order(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .data(Data(count: 200_000), status: status))
        let (queue, main, other) = (DispatchQueue(label: "other"), Log<String>(), Log<String>())
        let ended = Counter()
        TestAPI(server).request(.me)
            .onEnd {
                main.add("end")
                ended.increment()
            }
            .onEnd(on: queue) {
                other.add("end")
                ended.increment()
            }
            .downloadProgress { if $0.completed == $0.total { main.add("progress") } }
            .downloadProgress(on: queue) { if $0.completed == $0.total { other.add("progress") } }
            .responseData { _ in main.add("1") }.responseValue(.data, on: queue) { _ in other.add("1") }
            .response { _ in main.add("2") }.responseValue(.void, on: queue) { _ in other.add("2") }
            .responseValue(.void, on: .main) { _ in main.add("3") }
        try await eventually("it ends") { ended.count == 2 }
        #expect(main.entries == ["progress", "1", "2", "3", "end"])
        #expect(other.entries == ["progress", "1", "2", "end"])
    }

    @Test("a handler that is added while the request is canceled follows the earlier ones")
    func handlersDuringCancellation() async throws {
        struct Waiting: Transport {
            let hasStarted = Counter()
            let onCancel: @Sendable () -> Void

            func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
                await withTaskCancellationHandler {
                    hasStarted.increment()
                    let nothing = AsyncStream<Never> { _ in }
                    for await _ in nothing {}
                } onCancel: {
                    onCancel()
                }
                throw CancellationError()
            }
        }
        let (queue, order, known) = (DispatchQueue(label: "handlers"), Log<String>(), Lock<Request?>(nil))
        let transport = Waiting {
            known.withLock { $0 }?.responseValue(.void, on: queue) { _ in order.add("late") }
        }
        let request = TestAPI(transport).request(.me)
        known.withLock { $0 = request }
        defer { known.withLock { $0 = nil } }
        request.responseValue(.void, on: queue) { _ in order.add("early") }
        try await eventually("it is sent") { transport.hasStarted.count == 1 }
        request.cancel()
        await withCheckedContinuation { done in
            request.responseValue(.void, on: queue) { _ in done.resume() }
        }
        #expect(order.entries == ["early", "late"])
    }

    @Test("a slow handler delays only its own queue")
    func slowHandlers() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("ok"))
        let (gate, slow) = (Gate(), Counter())
        let request = TestAPI(server).request(.me)
            .responseValue(.data, on: DispatchQueue(label: "slow")) { _ in
                gate.wait()
                slow.increment()
            }
        let other = await response { request.responseValue(.text, on: DispatchQueue(label: "other"), $0) }
        #expect(other.value == "ok")
        #expect(try await request.text() == "ok")
        #expect(slow.count == 0)
        gate.open()
        try await eventually("the slow one is called as well") { slow.count == 1 }
    }

    @Test("a queue that only its handler keeps is not mistaken for another at the same address")
    func temporaryQueues() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("ok"))
        let (gate, slow, others) = (Gate(), Counter(), Counter())
        let request = TestAPI(server).request(.me)
        try await request.void()
        request.responseValue(.void, on: DispatchQueue(label: "slow")) { _ in
            slow.increment()
            gate.wait()
        }
        try await eventually("the slow one is called") { slow.count == 1 }
        // The tasks run on the threads that release handlers, and use their memory again.
        await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    request.responseValue(.void, on: DispatchQueue(label: "other")) { _ in others.increment() }
                }
            }
        }
        try await eventually("the others do not wait for it") { others.count == 1000 }
        gate.open()
    }

    @Test("onEnd is called even if shouldContinue stops the others, for readers of every kind", .behaviors(59))
    func stopped() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(401))
        let api = TestAPI(server).with(\.onFailure) { _ in false }
        let (folder, ended) = (try TemporaryFolder(), Counter())
        let request = api.request(.me)
            .response { _ in Issue.record("a handler of a stopped request") }
            .responseValue(.data, on: .global()) { _ in Issue.record("a handler of a stopped request") }
            .responseObject { (_: Response<User>) in Issue.record("a handler of a stopped request") }
            .responseFile(to: folder.file("f")) { _ in Issue.record("a handler of a stopped request") }
            .onEnd { ended.increment() }.onEnd(on: .global()) { ended.increment() }
        try await eventually("it ends") { ended.count == 2 }
        await #expect(throws: HTTPError(.stopped)) { try await request.data() }
        // Handlers that are added later are not called either.
        request.response { _ in Issue.record("a late handler of a stopped request") }.onEnd { ended.increment() }
        try await eventually("the late handler is called") { ended.count == 3 }
        #expect(try folder.names.isEmpty)
    }

    @Test("handlers on a queue are called while the main thread is blocked", .defects("BK14"))
    func blockedMain() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("ok"))
        let api = TestAPI(server)
        let text: String? = await MainActor.run {
            let (done, result) = (DispatchSemaphore(value: 0), Log<String?>())
            api.request(.me).responseValue(.text, on: .global()) { result.add($0.value) }.onEnd(on: .global()) {
                done.signal()
            }
            // The main actor is blocked here until the handler has been called.
            return done.wait(timeout: .now() + 100) == .success ? result.entries.first ?? nil : "too late"
        }
        #expect(text == "ok")
    }

    @Test(
        "a thousand concurrent requests all end, over few connections", .behaviors(105), .defects("BN7", "BN8")
    )
    func thousand() async throws {
        let server = try LoopbackServer().on(.get, "/api/user/{id}") { .text($0.pathParameters["id"] ?? "") }
        // A client of its own, whose pool no other test uses.
        let api = TestAPI(server).with(\.client, HTTPClient())
        let texts = Log<String>()
        for index in 0..<1000 {
            api.request(.user("\(index)")).responseValue(.text, on: .global()) { texts.add($0.value ?? "\($0.result)") }
        }
        try await eventually("all end") { texts.entries.count == 1000 }
        #expect(Set(texts.entries) == Set((0..<1000).map(String.init)))
        #expect(server.connectionCount <= 64)
    }

    @Test("observers can be added from many threads at any time", .defects("BN8"))
    func manyThreads() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .data(Data(count: 100_000)))
        let (request, calls) = (TestAPI(server).request(.me), Counter())
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            switch index % 4 {
            case 0: request.responseValue(.data, on: .global()) { if $0.data.count == 100_000 { calls.increment() } }
            case 1: request.onEnd(on: .global()) { calls.increment() }
            case 2: request.downloadProgress(on: .global()) { _ in }
            default: request.start()
            }
        }
        try await eventually("all are told") { calls.count == 200 }
        #expect(server.requests.count == 1)
    }
}
