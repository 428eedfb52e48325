import Dispatch
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Calls, which are prepared first and sent when they are started.
@Suite(.timeLimit(.minutes(3)))
struct CallTests {
    private let server: LoopbackServer
    private static let me = Endpoint(.get, "/me", returning: User.self)

    init() throws { server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "1", name: "Ann"))) }

    private func enqueued<Output>(_ call: Call<Output>) async -> Response<Output> {
        await withCheckedContinuation { continuation in
            call.enqueue(on: .global()) { continuation.resume(returning: $0) }
        }
    }

    @Test("a call sends nothing until it starts, and each start sends a new request")
    func starts() async throws {
        let call = TestAPI(server).call(Self.me)
        #expect(server.requests.isEmpty)
        #expect(await enqueued(call).value?.name == "Ann")
        #expect(try await call.value().name == "Ann")
        #expect(await call.response().status == 200)
        #expect(try await call.future().value.name == "Ann")
        await withCheckedContinuation { continuation in
            call.enqueue { _ in
                MainActor.assertIsolated()
                continuation.resume()
            }
        }
        #expect(server.requests.count == 5)
    }

    /// The events of a handler, with their threads.
    private final class Told: Sendable {
        let log = Log<TransferProgress>()
        var last: TransferProgress? { log.entries.last }
        var ends: Int { log.entries.count { $0.total != nil && $0.completed == $0.total } }
    }

    @Test(
        "a call's progress handler gets the reports of each later start but does not start the call", .behaviors(94)
    )
    func progress() async throws {
        let (body, queue) = (Data.noise(300_000), DispatchQueue(label: "progress"))
        server.on(.post, "/api/echo") { .data($0.body) }
        let echo = Endpoint(.post, "/echo", .body, returning: Data.self)
        let (up, down, onMain) = (Told(), Told(), Told())
        let call = TestAPI(server).call(echo(.data(body)))
            .uploadProgress(on: queue) { progress in
                dispatchPrecondition(condition: .onQueue(queue))
                up.log.add(progress)
            }
            .downloadProgress(on: queue) { down.log.add($0) }
            .uploadProgress { progress in
                MainActor.assertIsolated()
                onMain.log.add(progress)
            }
        #expect(server.requests.isEmpty)
        #expect(await enqueued(call).value == body)
        try await eventually("all are told the last") { up.ends == 1 && down.ends == 1 && onMain.ends == 1 }
        #expect(try await call.value() == body)
        #expect(up.ends == 2 && down.ends == 2 && onMain.ends == 2, "an await comes after the last report")
        #expect(try await call.future().value == body)
        let performed = await onThread { call.perform() }
        #expect(performed.value == body)
        try await eventually("all are told the last") { up.ends == 4 && down.ends == 4 && onMain.ends == 4 }
        #expect(up.last == TransferProgress(completed: 300_000, total: 300_000) && down.last == up.last)
        // The handlers are not called for another call of the same endpoint.
        _ = try await TestAPI(server).call(echo(.data(body))).value()
        #expect(up.ends == 4)
    }

    @Test("a call's handler runs on the given queue", .behaviors(101))
    func queue() async {
        let queue = DispatchQueue(label: "calls")
        await withCheckedContinuation { continuation in
            TestAPI(server).call(Self.me).enqueue(on: queue) { _ in
                dispatchPrecondition(condition: .onQueue(queue))
                continuation.resume()
            }
        }
    }

    @Test("perform() blocks until the response arrives, on success and on failure", .behaviors(102, 103))
    func perform() async throws {
        server.on(.get, "/api/gone", .status(404))
        let api = TestAPI(server)
        let (good, bad) = await onThread {
            (api.call(Self.me).perform(), api.call(Endpoint(.get, "/gone")).perform())
        }
        #expect(good.isSuccessful && good.value?.name == "Ann")
        #expect(bad.status == 404 && bad.error == HTTPError.status(404))
    }

    /// Runs a blocking closure on a separate thread.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }

    @Test("perform() returns even if more tasks call it at once than the pool has threads", .defects("BR13"))
    func crowd() async throws {
        func blocking() -> String? { TestAPI(server).call(Self.me).perform().value?.name }
        let names = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<16 { group.addTask { blocking() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "Ann", count: 16))
    }

    @MainActor
    @Test("perform() on the main thread returns; a hook on the main actor causes an explained timeout")
    func onMain() throws {
        let stub = StubTransport().on(.get, "/me", .json(User(id: "1", name: "Ann")))
        let api = TestAPI(stub)
        #expect(api.call(Self.me).perform().value?.name == "Ann")
        // The main actor is blocked, so its progress handler is skipped, and the call does not wait for it.
        let watched = api.call(Self.me).downloadProgress { _ in Issue.record("told while it is blocked") }
        #expect(watched.perform(timeout: .seconds(170)).value?.name == "Ann")
        let hooked = api.with(\.onValidate) { _ in await MainActor.run {} }
        let response = hooked.call(Self.me).perform(timeout: .milliseconds(200))
        let error = try #require(response.error as? HTTPError)
        #expect(error.kind == .timedOut)
        #expect(error.reason?.contains("perform() blocks the main thread") == true)
        #expect(
            error.suggestion == "On the main thread use enqueue, a future or await; or call perform() on another thread"
        )
    }

    @Test("perform() respects its timeout, even on threads other than the main thread")
    func overdue() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.on(.get, "/api/me") { _ in
            gate.wait()
            return .status(200)
        }
        let response = await onThread { [server] in TestAPI(server).call(Self.me).perform(timeout: .milliseconds(100)) }
        #expect(response.error == HTTPError.timedOut)
    }

    @Test(
        "a call canceled before its first start is not sent; a later start sends it", .behaviors(107),
        .defects("BR11"))
    func cancelledBefore() async throws {
        let call = TestAPI(server).call(Self.me)
        call.cancel()
        #expect(await enqueued(call).error == HTTPError.cancelled)
        #expect(server.requests.isEmpty)
        #expect(await enqueued(call).value?.name == "Ann")
        let other = TestAPI(server).call(Self.me)
        other.cancel()
        #expect(await onThread { other.perform() }.error == HTTPError.cancelled)
        #expect(server.requests.count == 1)
    }

    @Test("canceling a call ends all of its requests, even those of a blocking perform()", .defects("BR11"))
    func cancelledAll() async throws {
        let (arrived, gate) = (Counter(), Gate())
        defer { gate.open() }
        server.on(.get, "/api/me") { _ in
            arrived.increment()
            gate.wait()
            return .status(200)
        }
        let call = TestAPI(server).call(Self.me)
        async let first = enqueued(call)
        async let second = enqueued(call)
        async let third = onThread { call.perform() }
        try await eventually("all are on their way") { arrived.count == 3 }
        call.cancel()
        let errors = await [first.error, second.error, third.error]
        for error in errors { #expect(error == HTTPError.cancelled) }
    }

    /// An API whose base URL can change: a class that guards its state with a lock.
    private final class Movable: HTTPProvider {
        private let place: Lock<URL>
        init(_ url: URL) { place = Lock(url) }
        var baseURL: URL { place.withLock { $0 } }
        func move(to url: URL) { place.withLock { $0 = url } }
    }

    @Test(
        "the provider's properties are read when a call starts; later changes apply to the next start", .behaviors(129),
        .defects("BR10"))
    func moved() async throws {
        let second = try LoopbackServer().on(.get, "/else/me", .json(User(id: "2", name: "Bob")))
        let api = Movable(server.baseURL.appending(path: "api"))
        let call = api.call(Self.me)
        for _ in 0..<50 {
            api.move(to: server.baseURL.appending(path: "api"))
            let first: Response<User> = await withCheckedContinuation { continuation in
                call.enqueue(on: .global()) { continuation.resume(returning: $0) }
                api.move(to: second.baseURL.appending(path: "else"))
            }
            #expect(first.value?.name == "Ann")
            #expect(await enqueued(call).value?.name == "Bob")
        }
        #expect(server.requests.count == 50 && second.requests.count == 50)
    }
}
