import Dispatch
import Foundation
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Part A9 of the acceptance table: futures of requests.
@Suite(.timeLimit(.minutes(3)))
struct FutureTests {
    static let upload = Route(path: "/upload", method: .post, body: .data(Data(repeating: 1, count: 300_000)))

    @Test(
        "futures return a response, JSON, nothing, an object, data or text; a 404 fails each", .behaviors(109),
        .defects("BN12"))
    func kinds() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "1", name: "Ann")))
        let api = TestAPI(server)
        #expect(try await api.request(.me).futureResponse().value.status == 200)
        #expect(try await api.request(.me).future(.json).value["name"].string == "Ann")
        #expect(try await api.request(.me).future(of: JSON.self).value["name"].string == "Ann")
        try await api.request(.me).future(.void).value
        #expect(try await api.request(.me).future(of: User.self).value == User(id: "1", name: "Ann"))
        #expect(try await api.request(.me).future(.data).value.isEmpty == false)
        #expect(try await api.request(.me).future(.text).value.contains("Ann"))

        server.on(.get, "/api/me", .status(404))
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).futureResponse().value }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).future(.json).value }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).future(.void).value }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).future(of: User.self).value }
    }

    @Test("thousands of handlers and futures of one request are called in their order")
    func many() async throws {
        let gate = Gate()
        let server = try ScriptedServer.pausing(at: gate)
        let request = TestAPI(baseURL: server.baseURL).request(.me)
        let (queue, handled, completed) = (DispatchQueue(label: "handlers"), Log<Int>(), Log<Int>())
        for number in 0..<5000 {
            request.responseValue(.void, on: queue) { _ in handled.add(number) }
            _ = request.future(.void).map { completed.add(number) }
        }
        gate.open()
        try await eventually("all are called") { handled.entries.count == 5000 && completed.entries.count == 5000 }
        #expect(handled.entries == Array(0..<5000))
        #expect(completed.entries == Array(0..<5000))
    }

    @Test("onComplete, onSuccess and onFailure can be chained before and after the outcome", .behaviors(110))
    func handlers() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "1", name: "Ann")), .status(500))
        let api = TestAPI(server)
        let future = api.request(.me).future(of: User.self)
        for _ in 0..<2 {
            let name = await withCheckedContinuation { continuation in
                future.onFailure { Issue.record("\($0)") }.onSuccess { continuation.resume(returning: $0.name) }
            }
            #expect(name == "Ann")
        }
        let failed = api.request(.me).future(of: User.self)
        let error = await withCheckedContinuation { continuation in
            failed.onSuccess { Issue.record("\($0)") }.onFailure { continuation.resume(returning: $0) }
        }
        #expect(error == HTTPError.status(500))
    }

    @Test("a future ends if shouldContinue stops its request", .behaviors(59), .defects("BN13"))
    func stopped() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(401))
        let api = TestAPI(server).with(\.onFailure) { _ in false }
        await #expect(throws: HTTPError(.stopped)) { try await api.request(.me).future(.json).value }
    }

    @Test("flatMap chains requests, and the first failure ends the chain", .behaviors(111), .defects("BN16"))
    func chains() async throws {
        let server = try LoopbackServer()
            .on(.post, "/api/login", .json(text: #"{"token":"t","user":{"id":"7","name":"Ann"}}"#))
            .on(.get, "/api/user/7", .json(User(id: "7", name: "Ann")), .status(500))
        let api = TestAPI(server)
        struct Login: Decodable, Sendable { var user: User }
        let chain: @Sendable () -> Future<User> = {
            api.request(.login("foo@example.com", "bar")).future(of: Login.self)
                .flatMap { api.request(.user($0.user.id)).future(of: User.self) }
        }
        #expect(try await chain().value == User(id: "7", name: "Ann"))
        await #expect(throws: HTTPError.status(500)) { try await chain().value }

        server.on(.post, "/api/login", .status(403))
        let before = server.requests.count
        await #expect(throws: HTTPError.status(403)) { try await chain().value }
        #expect(server.requests.count == before + 1)
    }

    @Test("a progress handler added late gets the last report", .behaviors(96))
    func lateProgress() async throws {
        let server = try LoopbackServer().on(.post, "/api/upload", .data(Data(repeating: 2, count: 200_000)))
        let future = TestAPI(server).request(Self.upload).future(.data)
        let early = await withCheckedContinuation { continuation in
            let once = Lock(false)
            future.uploadProgress { progress in
                let isLast = progress.completed == progress.total
                if isLast,
                    once.withLock({ once in
                        defer { once = true }; return !once
                    })
                {
                    continuation.resume(returning: progress.completed)
                }
            }
        }
        #expect(early == 300_000)
        _ = try await future.value
        let late = await withCheckedContinuation { continuation in
            future.downloadProgress { continuation.resume(returning: $0.progress) }
        }
        #expect(late == TransferProgress(completed: 200_000, total: 200_000))
    }

    @Test("a progress handler on a queue gets its last report before the value arrives", .behaviors(96))
    func progressOnQueue() async throws {
        let server = try LoopbackServer().on(.post, "/api/upload", .data(Data(repeating: 2, count: 200_000)))
        let (queue, sent, received) = (DispatchQueue(label: "progress"), Log<Int64>(), Log<Int64>())
        let future = TestAPI(server).request(Self.upload).future(.data)
            .uploadProgress(on: queue) {
                dispatchPrecondition(condition: .onQueue(queue))
                sent.add($0.completed)
            }
            .downloadProgress(on: queue) {
                dispatchPrecondition(condition: .onQueue(queue))
                received.add($0.completed)
            }
        _ = try await future.value
        #expect(sent.entries.last == 300_000 && received.entries.last == 200_000)
    }

    @Test("map passes on progress, and so does flatMap with its request", .behaviors(97), .defects("BN17"))
    func progressOfChains() async throws {
        let server = try LoopbackServer().on(.post, "/api/upload", .status(200)).on(.post, "/api/second", .status(200))
        let api = TestAPI(server)
        let second = Route(path: "/second", method: .post, body: .data(Data(repeating: 1, count: 100_000)))
        let seen = Lock([String: [Int64]]())
        let chain = api.request(Self.upload).future(.void).map { 1 }
            .flatMap { _ in api.request(second).future(.void) }
        chain.uploadProgress { progress in
            seen.withLock { $0["\(progress.request)", default: []].append(progress.completed) }
        }
        try await chain.value
        try await eventually("both reports are in") { seen.withLock { $0.count } == 2 }
        #expect(seen.withLock { $0["Request(POST /upload)"]?.last } == 300_000)
        #expect(seen.withLock { $0["Request(POST /second)"]?.last } == 100_000)
        for reports in seen.withLock({ $0.values }) { #expect(reports == reports.sorted()) }
    }

    @Test("canceling a task or a future ends the transfer", .behaviors(108))
    func cancellation() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(200).delayed(by: .seconds(60)))
        let api = TestAPI(server)
        let future = api.request(.me).future(.void)
        let mapped = future.map { 1 }
        try await eventually("the request arrives") { server.requests.count == 1 }
        mapped.cancel()
        await #expect(throws: HTTPError.cancelled) { try await future.value }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }

        let task = Task { try await api.request(.me).future(.void).value }
        try await eventually("the request arrives") { server.requests.count == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test("the design page's chain of futures returns the guest after a failed login")
    func design() async throws {
        let server = try LoopbackServer().on(.post, "/api/login", .status(500))
        let api = TestAPI(server)
        struct Login: Decodable, Sendable { var user: User }
        let name = await withCheckedContinuation { continuation in
            api.request(.login("foo@example.com", "bar")).future(of: Login.self)
                .flatMap { api.request(.user($0.user.id)).future(of: User.self) }
                .timeout(after: .seconds(10)).recover { _ in User(id: "0", name: "guest") }
                .onSuccess { continuation.resume(returning: $0.name) }.onFailure { Issue.record("\($0)") }
        }
        #expect(name == "guest")
    }
}

extension Route {
    fileprivate static func login(_ email: String, _ password: String) -> Route {
        Route(path: "/login", method: .post, params: ["email": email, "password": password])
    }
}
