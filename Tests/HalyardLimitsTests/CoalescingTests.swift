import Foundation
import HalyardAsync
import HalyardCache
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Requests that share a transfer, with a clock.
@Suite(.timeLimit(.minutes(3)))
struct CoalescingTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()
    private let events = Log<LogEvent>()
    private let stage = Coalescing(ignoring: ["x-request-id"])

    private func client(_ configuration: HTTPClient.Configuration = .init()) -> HTTPClient {
        var configuration = configuration
        configuration.policies.append(ClientPolicy(.coalescing, stage))
        return HTTPClient(
            transport: transport, configuration: configuration, log: .custom { [events] in events.add($0) },
            clock: clock)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `concurrent equal requests share one transfer, and later ones do not`() async throws {
        let client = client()
        let tasks = try (0..<20).map { try client.start("/a", headers: ["X-Request-ID": "\($0)"]) }
        try await transport.call(1).respond(200, headers: ["A": "b"], "text")
        var sends = 0
        for task in tasks {
            let response = try await task.value
            #expect(response.text == "text" && response.headers["A"] == "b")
            sends += response.sendCount
        }
        #expect(sends == 1 && transport.calls.count == 1 && stage.count == 0)
        #expect(events.entries.filter { $0.kind == .coalesced }.count == 19)
        #expect(
            events.entries.last { $0.kind == .coalesced }?.description
                == "⚡ 200 GET https://a.example.com/a 4 B from an equal request")
        let later = try client.start("/a")
        try await transport.call(2).respond()
        _ = try await later.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `requests that differ are sent separately`() async throws {
        let (client, other) = (client(), client())
        let tasks = [
            try client.start("/a"), try client.start("/b"), try client.start("/a?b=c"), try client.start("/a", .head),
            try client.start("/a", host: "b.example.com"), try client.start("/a", headers: ["Authorization": "1"]),
            try client.start("/a", headers: ["Authorization": "2"]), try client.start("/a", headers: ["Cookie": "a=1"]),
            try client.start("/a", headers: ["X-API-Key": "k"]), try client.start("/a", headers: ["Accept": "a"]),
            try client.start("/a", headers: ["Range": "bytes=0-1"]),
            try client.start("/a", destination: .memory(limit: 9)),
            try client.start("/a") { $0.idleTimeout = .seconds(1) }, try client.start("/a") { $0.redirects = .never },
            try other.start("/a"),
        ]
        for number in 1...tasks.count { try await transport.call(number).respond(200, "\(number)") }
        var texts: Set<String> = []
        for task in tasks { texts.insert(try await task.value.text) }
        #expect(texts.count == tasks.count)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a header that contains a secret counts, even if it is ignored`() async throws {
        let stage = Coalescing(ignoring: ["authorization", "cookie"])
        let client = HTTPClient(
            transport: transport, configuration: .init(policies: [ClientPolicy(.coalescing, stage)]))
        let tasks = try ["1", "2"].map { try client.start("/a", headers: ["Authorization": $0]) }
        for number in 1...2 { try await transport.call(number).respond() }
        for task in tasks { _ = try await task.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `canceling one reader leaves the others, and canceling the last one ends the transfer`() async throws {
        let client = client()
        let tasks = try (0..<3).map { _ in try client.start("/a") }
        let call = try await transport.call(1)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(transport.cancelled.entries.isEmpty && stage.count == 1)
        call.respond(200, "kept")
        #expect(try await tasks[2].value.text == "kept")

        let more = try (0..<2).map { _ in try client.start("/a") }
        _ = try await transport.call(2)
        for task in more { task.cancel() }
        for task in more { await #expect(throws: CancellationError.self) { try await task.value } }
        try await eventually("the transfer is cancelled") { transport.cancelled.entries == ["/a"] }
        // A new request begins a new transfer.
        let next = try client.start("/a")
        try await transport.call(3).respond()
        _ = try await next.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `one reader's deadline does not end the others`() async throws {
        let client = client()
        let short = try client.start("/a") { $0.timeout = .seconds(1) }
        let long = try client.start("/a") { $0.timeout = .seconds(9) }
        let none = try client.start("/a")
        let call = try await transport.call(1)
        #expect(call.context.timeout == nil)
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await #expect(throws: HTTPError.timedOut) { try await short.value }
        call.respond(200, "1")
        #expect(try await long.value.text == "1")
        #expect(try await none.value.text == "1")
        try await eventually("no timer is left") { clock.sleeperCount == 0 }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `readers share an error`() async throws {
        let client = client()
        let tasks = try (0..<3).map { _ in try client.start("/a") }
        try await transport.call(1).fail(HTTPError.connectionLost)
        for task in tasks { await #expect(throws: HTTPError.connectionLost) { try await task.value } }
        #expect(transport.calls.count == 1 && stage.count == 0)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `writes, requests with bodies, streams and files bypass coalescing`() async throws {
        let client = client()
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            for task in [
                try client.start("/0", .post), try client.start("/1", .options),
                try client.start("/2", body: HTTPBody(Data([1]))), try client.start("/3", destination: .stream),
                try client.start("/4", destination: .file(folder.url.appending(path: "a"))),
            ] { task.cancel() }
        }
        #expect(transport.calls.count == 10 && stage.count == 0)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a read after a write does not join one that started before it`() async throws {
        let client = client()
        let old = try client.start("/a")
        _ = try await transport.call(1)
        let other = try client.start("/a", host: "b.example.com")
        _ = try await transport.call(2)
        let put = try client.start("/a", .put)
        transport.calls[2].respond(204)
        _ = try await put.value
        let new = try client.start("/a")
        let same = try client.start("/a", host: "b.example.com")
        try await transport.call(4).respond(200, "new")
        transport.calls[0].respond(200, "old")
        transport.calls[1].respond(200, "other")
        #expect(try await (old.value.text, new.value.text, same.value.text) == ("old", "new", "other"))
        _ = try await other.value
        #expect(transport.calls.count == 4 && stage.count == 0)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `coalescing works below the cache, which stores the response and answers later requests`() async throws {
        let client = client(.init(policies: [.cache(.memory())]))
        let tasks = try (0..<3).map { _ in try client.start("/a") }
        let reload = try client.start("/a") { $0[CacheMode.self] = .reload }
        for number in 1...2 { try await transport.call(number).respond(200, headers: ["Cache-Control": "max-age=60"]) }
        for task in tasks + [reload] { _ = try await task.value }
        #expect(try await client.start("/a").value.cacheStatus?.isHit == true)
        // The tasks start in any order.
        let fields = transport.calls.map { $0.request.headers["Cache-Control"] }
        #expect(fields.count == 2 && Set(fields) == [nil, "no-cache"])
    }

    @Test func `all readers get progress`() async throws {
        let reports = Log<String>()
        let api = TestAPI(baseURL: try #require(URL(string: "https://a.example.com")), client: client())
        var tasks: [Task<HTTPResponse, any Error>] = []
        for name in ["a", "b"] {
            let request = api.request(Route(path: "/a"))
            request.downloadProgress(on: .global()) { _ in reports.add(name) }
            tasks.append(Task { try await request.response() })
        }
        let call = try await transport.call(1)
        try await eventually("both wait") { stage.readerCount == 2 }
        call.context.progress?(.download, TransferProgress(completed: 1, total: 2))
        try await eventually("both have a report") { Set(reports.entries) == ["a", "b"] }
        call.respond()
        for task in tasks { _ = try await task.value }
    }
}
