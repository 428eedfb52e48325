import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Cancelling a task ends its await at once, wherever the request is, and closes what it opened.
///
/// The times are measured and printed. The test fails only above 20 seconds, a bound for every machine.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PromptnessTests {
    enum Moment: String, CaseIterable { case lookup, upload, waiting, download, decoding }

    @Test(
        "cancels during name lookup, upload, waiting, download and decoding", .behaviors(108),
        arguments: Moment.allCases)
    func cancel(moment: Moment) async throws {
        let clock = ContinuousClock()
        var times: [Duration] = []
        let scale = ProcessInfo.processInfo.environment["HALYARD_STRESS"].flatMap { Int($0) } ?? 1
        for _ in 0..<3 * scale {
            let client = HTTPClient()
            let server = try LoopbackServer()
                .on(.post, "/api/upload", .status(200).delayed(by: .seconds(3600)))
                .on(.get, "/api/me", .status(200).delayed(by: .seconds(3600)))
                .on(.get, "/api/dump", .data(Data(repeating: 1, count: 50 << 20)))
                .on(.get, "/api/object", .text("{}"))
            let api = TestAPI(server).with(\.client, client)
            let reached = Counter()
            let task = Task { try await send(moment, api, reached) }
            try await eventually("the request is under way") { reached.count > 0 || !server.requests.isEmpty }
            // The start of the lookup cannot be observed from outside.
            if moment == .lookup { for _ in 0..<3000 { await Task.yield() } }
            let start = clock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            times.append(clock.now - start)
            try await eventually("all descriptors are closed") {
                server.openConnectionCount == 0 || moment == .decoding
            }
        }
        times.sort()
        let p99 = times[times.count * 99 / 100]
        let slowest = try #require(times.last)
        print("cancelled during \(moment): \(p99) p99, \(slowest) at most of \(times.count)")
        #expect(slowest < .seconds(20))
    }

    private func send(_ moment: Moment, _ api: TestAPI, _ reached: Counter) async throws {
        switch moment {
        case .lookup:
            reached.increment()
            let url = "http://\(UUID().uuidString.lowercased()).example.invalid/"
            while true {
                _ = try? await api.with(\.baseURL, URL(string: url)!).request(.me).data(); try Task.checkCancellation()
            }
        case .upload:
            let chunks = AsyncStream { () -> Data? in
                reached.increment()
                return Data(repeating: 1, count: 10_000)
            }
            try await api.request(Route(path: "/upload", method: .post, body: .stream(chunks))).void()
        case .waiting: try await api.request(.me).void()
        case .download:
            for try await _ in api.request(Route(path: "/dump")).chunks {
                reached.increment()
                try await eventually("the task is cancelled") { Task.isCancelled }
            }
        case .decoding:
            let slow = ResponseSerializer { _ in
                reached.increment()
                while !Task.isCancelled {}
                throw CancellationError()
            }
            try await api.request(Route(path: "/object")).value(slow)
        }
    }
}
