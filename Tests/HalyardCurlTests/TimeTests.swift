import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Deadlines and cancellation.
@Suite(.timeLimit(.minutes(3)))
struct TimeTests {
    let transport = CurlTransport()

    @Test func `the timeout ends a transfer, but not early`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(60)))
        let clock = ContinuousClock()
        let start = clock.now
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(to: server, context: TransferContext(timeout: .milliseconds(150)))
        }
        #expect(error?.kind == .timedOut)
        #expect(clock.now - start >= .milliseconds(150))
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `the idle timeout ends a transfer without progress`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(60)))
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(to: server, context: TransferContext(idleTimeout: .milliseconds(150)))
        }
        #expect(error?.kind == .timedOut)
        #expect(error?.reason?.contains("no data was transferred") == true)
    }

    @Test func `a response that arrives in time counts even if the loop is delayed past the limit`() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.on(.get, "/waiting") { _ in
            gate.wait()
            return .text("in time")
        }
        server.on(.get, "/held", .text("held"))
        // With an idle connection libcurl has no timer, so nothing else reads the socket before the time limits are
        // checked.
        _ = try await transport.send(to: server, "/held")
        let idle = Duration.milliseconds(400)
        async let waiting = transport.send(to: server, "/waiting", context: TransferContext(idleTimeout: idle))
        try await eventually("the request arrives") { server.requests.count == 2 }
        var holding = TransferContext()
        // The handler runs on the loop's thread.
        holding.progress = { direction, _ in
            guard direction == .download else { return }
            gate.open()
            Thread.sleep(forTimeInterval: 2 * (idle / .seconds(1)))
        }
        _ = try await transport.send(to: server, "/held", context: holding)
        #expect(try await waiting.text == "in time")
    }

    @Test func `a timeout also applies to a request that starts while the loop sleeps`() async throws {
        let slow = StubResponse.status(200).delayed(by: .seconds(600))
        let (one, other) = (try LoopbackServer(), try LoopbackServer())
        one.on(.get, "/", .status(200)).on(.get, "/slow", slow)
        other.on(.get, "/slow", slow)
        // The first request leaves an idle connection. Without a wakeup, the loop would sleep for a minute when the
        // next request times out: a request over the idle connection has no timer and no socket event.
        _ = try await transport.send(to: one)
        let clock = ContinuousClock()
        let start = clock.now
        for server in [other, one] {
            await #expect(throws: HTTPError.timedOut) {
                try await transport.send(to: server, "/slow", context: TransferContext(timeout: .milliseconds(50)))
            }
        }
        #expect(clock.now - start < .seconds(55))
    }

    @Test func `very long timeouts do not overflow`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        let far = Duration.seconds(Int64.max / 2)
        for limit: Duration? in [nil, far, .seconds(1_000_000_000_000_000)] {
            let context = TransferContext(timeout: limit, connectTimeout: limit, idleTimeout: limit)
            #expect(try await transport.send(to: server, context: context).status == 200)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(-63_000_000_000), .seconds(Int64.min)])
    func `a timeout of zero or less is refused`(limit: Duration) async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(60)))
        await #expect(throws: HTTPError.timedOut) {
            try await transport.send(to: server, context: TransferContext(timeout: limit, connectTimeout: limit))
        }
    }

    @Test func `canceling the task ends the transfer and closes its connection`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(60)))
        let task = Task { try await transport.send(to: server) }
        try await eventually("the request arrives") { server.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
    }

    @Test func `a task that is already canceled sends nothing`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(60)))
        let task = Task {
            try await eventually("the task is cancelled") { Task.isCancelled }
            return try await transport.send(to: server)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test func `canceling one request does not affect the others`() async throws {
        let server = try LoopbackServer().on(.get, "/slow", .status(200).delayed(by: .seconds(60)))
            .on(.get, "/fast", .status(200))
        let right = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let transfer = Task { try await transport.send(to: server, index % 2 == 0 ? "/slow" : "/fast") }
                    if index % 2 == 0 {
                        try await eventually("the request arrives") { server.requests.count >= 20 }
                        transfer.cancel()
                        return await transfer.result.error is CancellationError ? 1 : 0
                    }
                    return try await transfer.value.status == 200 ? 1 : 0
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(right == 40)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
