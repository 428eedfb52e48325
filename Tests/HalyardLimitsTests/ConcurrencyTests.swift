import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard
@testable import HalyardLimits

/// Limits for requests at once.
@Suite(.timeLimit(.minutes(3)))
struct ConcurrencyTests {
    private let transport = GatedTransport()
    private let clock = ManualClock()

    private func client(_ policies: ClientPolicy..., log: EventLog = .silent) -> HTTPClient {
        HTTPClient(transport: transport, configuration: .init(policies: policies), log: log, clock: clock)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `requests wait in order by priority, separately for each host`() async throws {
        let client = client(.concurrency(perHost: 1))
        let first = try client.start("/first")
        var tasks: [Task<HTTPResponse, any Error>] = []
        for number in 0..<3 { tasks.append(try client.start("/low\(number)") { $0[RequestPriority.self] = .low }) }
        for number in 0..<3 { tasks.append(try client.start("/\(number)")) }
        for number in 0..<3 { tasks.append(try client.start("/high\(number)") { $0[RequestPriority.self] = .high }) }
        let other = try client.start("/other", host: "b.example.com")
        #expect(transport.paths == ["/first", "/other"])
        transport.calls[1].respond()
        _ = try await other.value
        transport.calls[0].respond()
        for number in 3...11 { try await transport.call(number).respond() }
        for task in tasks + [first] { _ = try await task.value }
        // Each has its share from the start, and a share of 1 is at most 16 behind.
        #expect(
            transport.paths.dropFirst(2)
                == ["/high0", "/0", "/low0", "/high1", "/high2", "/1", "/2", "/low1", "/low2"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a request that is canceled or reaches its deadline leaves the queue immediately`() async throws {
        let limit = ConcurrencyLimit(1, by: .host, name: "the limit")
        let client = client(ClientPolicy(.concurrency, limit))
        let first = try client.start("/first")
        let cancelled = try client.start("/cancelled")
        let late = try client.start("/late") { $0.timeout = .seconds(5) }
        let last = try client.start("/last") { $0.timeout = .seconds(9) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        await #expect(throws: HTTPError.timedOut) { try await late.value }
        transport.calls[0].respond()
        try await transport.call(2).respond()
        _ = try await (first.value, last.value)
        #expect(transport.paths == ["/first", "/last"])
        #expect(limit.keyCount == 0)
        try await eventually("no timer is left") { clock.sleeperCount == 0 }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a request that fails or is canceled while being sent releases its slot`() async throws {
        let client = client(.concurrency(perHost: 1))
        let first = try client.start("/0")
        let second = try client.start("/1")
        let third = try client.start("/2")
        transport.calls[0].fail(HTTPError.connectionLost)
        await #expect(throws: HTTPError.connectionLost) { try await first.value }
        _ = try await transport.call(2)
        second.cancel()
        try await transport.call(3).respond()
        _ = try await third.value
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a full bulkhead fails immediately and names the host and the limits`() async throws {
        let client = client(.bulkhead(2, queue: 1))
        let tasks = try (0..<3).map { try client.start("/\($0)") }
        let failed = await failure { _ = try await client.start("/3").value }
        #expect(failed == HTTPError(.queueFull("https://a.example.com")))
        #expect(failed?.kind.isRefusal == true && failed?.sendCount == 0)
        #expect(
            failed?.description
                == "Too many requests wait for https://a.example.com: 2 are being sent, and 1 wait "
                + "(GET https://a.example.com/3). Send fewer requests at once, or raise the limits of the bulkhead.")
        // The place of a request that is cancelled is free again.
        tasks[2].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[2].value }
        let next = try client.start("/4")
        for call in transport.calls { call.respond() }
        try await transport.call(3).respond()
        _ = try await next.value
        #expect(transport.paths == ["/0", "/1", "/4"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a custom key applies, and a request without a key does not wait`() async throws {
        let client = client(.concurrency(1, by: .custom { $0.headers["X-Tenant"] }))
        let tasks = try [["X-Tenant": "a"], ["X-Tenant": "b"], ["X-Tenant": "a"], [:], [:]].map {
            try client.start("/", headers: $0)
        }
        #expect(transport.calls.count == 4)
        for number in 1...5 { try await transport.call(number).respond() }
        for task in tasks { _ = try await task.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `the log says how long a request waited`() async throws {
        let events = Log<LogEvent>()
        let client = client(.concurrency(perHost: 1), log: .custom { events.add($0) })
        let tasks = try (0..<2).map { try client.start("/\($0)") }
        clock.advance(by: .seconds(3))
        transport.calls[0].respond()
        try await transport.call(2).respond()
        for task in tasks { _ = try await task.value }
        let waits = events.entries.filter { $0.kind == .delayed }
        #expect(waits.map(\.delay) == [.seconds(3)])
        #expect(
            waits.map(\.description)
                == ["⏳ GET https://a.example.com/1 waited 3.0 s for the concurrency limit of https://a.example.com"])
    }

    @Test func `an outdated ticket removes nothing from a later queue of the same key`() {
        var slots = Slots<Int>(1)
        var old: WaitingLine<Int>.Ticket?
        for number in 0...1 { if case .waiting(_, let ticket) = slots.admit(number, .all, .normal) { old = ticket } }
        let released = [slots.release(.all), slots.release(.all)]
        for number in 2...3 { _ = slots.admit(number, .all, .normal) }
        if let old { slots.leave(old, .all) }
        #expect(old != nil && released == [1, nil])
        let next = slots.release(.all)
        #expect(next == 3)
    }

    @Test(arguments: 0..<20)
    func `slots and queue never exceed their limits`(seed: UInt64) throws {
        var random = Seeded(seed)
        let (limit, queue) = (Int.random(in: 1...4, using: &random), Int.random(in: 0...6, using: &random))
        var slots = Slots<Int>(limit, queue: queue)
        let keys = (0..<3).map { RequestKey.Value.named("\($0)") }
        var holders: [RequestKey.Value: [Int]] = [:]
        var waiting: [RequestKey.Value: [(ticket: WaitingLine<Int>.Ticket, number: Int)]] = [:]
        for number in 0..<4000 {
            let key = try random.pick(keys)
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2:
                switch slots.admit(number, key, .normal) {
                case .granted: holders[key, default: []].append(number)
                case .waiting(_, let ticket):
                    #expect(holders[key]?.count == limit)
                    waiting[key, default: []].append((ticket, number))
                case .full: #expect(waiting[key, default: []].count == queue && holders[key]?.count == limit)
                }
            case 3 where holders[key]?.isEmpty == false:
                holders[key]?.removeFirst()
                // First in, first out.
                let released = slots.release(key)
                #expect(released == waiting[key]?.first?.number)
                if waiting[key]?.isEmpty == false, let next = waiting[key]?.removeFirst() {
                    holders[key]?.append(next.number)
                }
            case 4 where waiting[key]?.isEmpty == false:
                guard let gone = waiting[key]?.removeLast() else { continue }
                slots.leave(gone.ticket, key)
            default: break
            }
            #expect(holders[key, default: []].count <= limit && waiting[key, default: []].count <= queue)
        }
        for key in keys {
            for _ in 0..<(holders[key, default: []].count + waiting[key, default: []].count) { _ = slots.release(key) }
        }
        #expect(slots.keyCount == 0)
    }
}
