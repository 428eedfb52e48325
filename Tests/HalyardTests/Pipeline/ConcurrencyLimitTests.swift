import Foundation
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// The queue of requests beyond a client's limit, without a transport.
@Suite(.timeLimit(.minutes(3)))
struct ConcurrencyLimitTests {
    private let limit = ConcurrencyLimit(1)
    private let sent = Log<Int>()
    private let gate = OneShot<Void>()

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func send(_ number: Int, _ priority: RequestPriority = .normal) throws -> Task<Void, any Error> {
        let request = try HTTPRequest(.get, #require(URL(string: "http://h/\(number)")))
        let chain = Chain { [sent, gate] request in
            if number == 0 { await gate.take() }
            sent.add(number)
            return HTTPResponse(status: 200, url: request.url)
        }
        // The task runs at once until it waits: the requests queue in this order.
        let next = chain.with(RequestContext.standard.adding(priority))
        return Task.immediate { [limit] in _ = try await limit.intercept(request, next: next) }
    }

    @Test("requests are sent in the order they arrived, except canceled ones")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func order() async throws {
        let count = 10_000
        let tasks = try (0..<count).map { try send($0) }
        for number in 1..<count where number.isMultiple(of: 2) { tasks[number].cancel() }
        for number in 1..<count where number.isMultiple(of: 2) {
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        #expect(sent.entries.isEmpty)
        gate.fulfill(())
        for number in 0..<count where number == 0 || !number.isMultiple(of: 2) { try await tasks[number].value }
        #expect(sent.entries == [0] + stride(from: 1, to: count, by: 2))
        try await send(count).value
        #expect(sent.entries.last == count)
        #expect(limit.keyCount == 0)
    }

    @Test("a high-priority request overtakes those that wait")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func priority() async throws {
        let tasks = try [send(0), send(1, .low), send(2), send(3, .high), send(4)]
        gate.fulfill(())
        for task in tasks { try await task.value }
        #expect(sent.entries == [0, 3, 2, 1, 4])
    }
}
