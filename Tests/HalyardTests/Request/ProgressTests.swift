import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A6 of the acceptance table: the progress of bodies.
@Suite(.timeLimit(.minutes(3)))
struct ProgressTests {
    static let upload = 300_000

    /// Records every report of the engine before any report can be dropped.
    struct Witness: Transport {
        let inner: any Transport = HTTPClient.shared.transport
        let reports = Log<(direction: TransferProgress.Direction, progress: TransferProgress)>()
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            var context = context
            context.progress = { [report = context.progress] direction, progress in
                reports.add((direction, progress))
                report?(direction, progress)
            }
            return try await inner.send(request, context: context)
        }

        func reports(_ direction: TransferProgress.Direction) -> [TransferProgress] {
            reports.entries.filter { $0.direction == direction }.map(\.progress)
        }
    }

    static func isSteady(_ reports: [TransferProgress]) -> Bool {
        zip(reports, reports.dropFirst()).allSatisfy { $0.completed < $1.completed }
    }

    @Test(
        "an upload of 300 kB is reported in rising steps to the end", .behaviors(94),
        arguments: [true, false])
    func upload(isForm: Bool) async throws {
        let (server, witness) = (try LoopbackServer.accepting(), Witness())
        let api = TestAPI(server).with(\.client, HTTPClient(transport: witness))
        let data = Data.noise(Self.upload)
        let route =
            isForm
            ? Route(path: "/me", method: .post, multipart: [.data(data, name: "a")])
            : Route(path: "/me", method: .post, body: .data(data))
        let seen = Log<TransferProgress>()
        let request = api.request(route).uploadProgress(on: .global()) { seen.add($0) }
        try await request.void()

        let total = Int64(try server.request.body.count)
        let reports = witness.reports(.upload)
        #expect(Self.isSteady(reports))
        #expect(reports.contains { (1..<total).contains($0.completed) })
        #expect(reports.allSatisfy { $0.total == total })
        #expect(reports.last == TransferProgress(completed: total, total: total))
        // A handler may miss reports, but not the last one.
        #expect(Self.isSteady(seen.entries))
        #expect(seen.entries.last == reports.last)
        #expect(seen.entries.last?.fraction == 1)
    }

    @Test("a fast handler gets intermediate reports, and the last one before the response", .behaviors(94))
    func parts() async throws {
        let server = try LoopbackServer.accepting()
        let (log, pull) = (Log<String>(), Counter())
        // Each part except the first is sent after a handler has seen the previous one. Then the body ends.
        let parts = AsyncStream<Data>(unfolding: {
            let sent = pull.count
            try? await eventually("the handler was called") { sent == 3 || log.entries.count >= sent }
            pull.increment()
            return sent < 3 ? Data(count: 65_536) : nil
        })
        let route = Route(path: "/me", method: .post, body: .stream(parts, length: 196_608))
        let request = TestAPI(server).request(route)
            .uploadProgress { log.add("\($0.completed) of \($0.total ?? 0)") }
        await withCheckedContinuation { done in
            request.response { _ in
                log.add("response")
                done.resume()
            }
        }
        #expect(
            log.entries == ["65536 of 196608", "131072 of 196608", "196608 of 196608", "response"])
    }

    @Test("a download is reported with its total, to the end, before the response", .behaviors(95))
    func download() async throws {
        let gate = Gate()
        let server = try ScriptedServer.pausing(at: gate)
        let seen = Log<TransferProgress>()
        await withCheckedContinuation { done in
            TestAPI(baseURL: server.baseURL).request(.me)
                .downloadProgress {
                    seen.add($0)
                    gate.open()
                }
                .responseData { response in
                    #expect(response.data.count == 300_000)
                    #expect(seen.entries.last == TransferProgress(completed: 300_000, total: 300_000))
                    done.resume()
                }
        }
        #expect(Self.isSteady(seen.entries))
        #expect(seen.entries.count >= 2)
        #expect(try #require(seen.entries.first).completed <= 100_000)
    }

    @Test("a slow handler also gets the last report before the response", .behaviors(94, 95))
    func slowHandler() async throws {
        let (rest, handler) = (Gate(), Gate())
        let server = try ScriptedServer.pausing(at: rest)
        let (queue, log, over) = (DispatchQueue(label: "slow"), Log<String>(), Counter())
        TestAPI(baseURL: server.baseURL).request(.me)
            .downloadProgress(on: queue) {
                log.add($0.completed == $0.total ? "last" : "part")
                handler.wait()
            }
            .responseValue(.void, on: queue) { _ in log.add("response") }
            .responseValue(.void, on: DispatchQueue(label: "other")) { _ in over.increment() }
        try await eventually("the handler is busy") { log.entries.count == 1 }
        rest.open()
        try await eventually("the request is over") { over.count == 1 }
        for _ in 0..<1000 { await Task.yield() }
        handler.open()
        try await eventually("all is told") { log.entries.count == 3 }
        #expect(log.entries == ["part", "last", "response"])
    }

    @Test("progress of a chunked download counts the received bytes and has no total", .behaviors(95))
    func chunked() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/me", .chunked(Array(repeating: Data.noise(70_000), count: 5)))
        let (seen, witness) = (Log<TransferProgress>(), Witness())
        let api = TestAPI(server).with(\.client, HTTPClient(transport: witness))
        let request = api.request(.me).downloadProgress(on: .global()) { seen.add($0) }
        #expect(try await request.data().count == 350_000)
        #expect(Self.isSteady(witness.reports(.download)))
        #expect(witness.reports(.download).count > 2)
        for progress in witness.reports(.download) + seen.entries {
            #expect(progress.total == nil && progress.fraction == nil)
        }
        #expect(seen.entries.last?.completed == 350_000)
    }

    @Test("an empty body is not reported, and without a handler no report is created")
    func nothing() async throws {
        let (server, witness) = (try LoopbackServer().on(.get, "/api/me", .status(200)), Witness())
        let api = TestAPI(server).with(\.client, HTTPClient(transport: witness))
        try await api.request(.me).downloadProgress(on: .global()) { _ in Issue.record("nothing moved") }.void()
        #expect(witness.reports(.download).isEmpty)
    }

    @Test("a handler added late gets the last report")
    func late() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .data(Data(count: 1000)))
        let request = TestAPI(server).request(.me).start()
        try await request.void()
        let seen = await withCheckedContinuation { done in
            _ = request.downloadProgress(on: .global()) { done.resume(returning: $0) }
        }
        #expect(seen == TransferProgress(completed: 1000, total: 1000))
    }

    @Test("adding a progress handler does not start the request")
    func cold() async throws {
        let server = try LoopbackServer.accepting()
        let request = TestAPI(server).request(Route(path: "/watched"))
            .uploadProgress { _ in }.downloadProgress { _ in }
            .uploadProgress(on: .global()) { _ in }.downloadProgress(on: .global()) { _ in }
            .onEnd {}.onEnd(on: .global()) {}
        // If the request had started, it would arrive before the last of these.
        for _ in 0..<20 { try await TestAPI(server).request(.me).void() }
        #expect(server.requests.allSatisfy { $0.path == "/api/me" })
        try await request.void()
        #expect(server.requests.last?.path == "/api/watched")
        #expect(server.requests.count == 21)
    }

    @Test("a loop over progress ends with the request; leaving the loop does not cancel it")
    func loops() async throws {
        let server = try LoopbackServer.accepting()
        let body = Route(path: "/me", method: .post, body: .data(Data.noise(Self.upload)))
        var seen: [TransferProgress] = []
        for await progress in TestAPI(server).request(body).start().progress(.upload) { seen.append(progress) }
        #expect(Self.isSteady(seen))
        #expect(seen.last == TransferProgress(completed: 300_000, total: 300_000))

        let request = TestAPI(server).request(body).start()
        for await _ in request.progress(.upload) { break }
        try await request.void()
        #expect(server.requests.count == 2)
    }

    @Test("a loop over progress does not start the request, and ends once nobody can start it")
    func unstarted() async throws {
        let server = try LoopbackServer.accepting()
        let request = TestAPI(server).request(Route(path: "/watched"))
        let watching = Task { [reports = request.progress(.download)] in for await _ in reports {} }
        for await _ in TestAPI(server).request(Route(path: "/left")).progress(.upload) { Issue.record("it was sent") }
        // If a request had started, it would arrive before the last of these.
        for _ in 0..<20 { try await TestAPI(server).request(.me).void() }
        #expect(server.requests.allSatisfy { $0.path == "/api/me" })
        try await request.void()
        await watching.value
        #expect(server.requests.count == 21)
    }

    @Test("a loop over the progress of a failed request ends")
    func failing() async throws {
        let api = TestAPI(baseURL: try #require(URL(string: "http://127.0.0.1:1")))
        for await _ in api.request(.me).start().progress(.download) { Issue.record("nothing moved") }
        let request = api.request(.user("..")).start()
        for await _ in request.progress(.upload) { Issue.record("nothing moved") }
        await #expect(throws: HTTPError(.invalidPath("/user/.."))) { try await request.void() }
    }

    @Test("several uploads share one progress, which rises to the total and never falls")
    func combined() async throws {
        let server = try LoopbackServer().on(.put, "/{part}", .status(503), .status(200))
        let api = TestAPI(server, "").with(\.client, HTTPClient(configuration: .init(retry: Self.quickRetry)))
        let (log, queue) = (Lock<[TransferProgress]>([]), DispatchQueue(label: "progress"))
        let progress = CombinedProgress(total: 900_000, on: queue) { report in log.withLock { $0.append(report) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<3 {
                let route = Route(path: "/\(part)", method: .put, body: .data(Data(count: 300_000)))
                group.addTask { try await api.request(route).uploadProgress(in: progress).void() }
            }
            try await group.waitForAll()
        }
        let reports = log.withLock { $0 }
        #expect(reports.last == TransferProgress(completed: 900_000, total: 900_000))
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.completed < $1.completed })
        #expect(server.requests.count == 4)
    }

    private static var quickRetry: RetryPolicy {
        var policy = RetryPolicy.upTo(attempts: 3)
        policy.delay = .milliseconds(1)
        return policy
    }
}
