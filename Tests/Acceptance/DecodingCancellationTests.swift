import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Cancelling ends a wait at once, even while a long body is decoded.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct DecodingCancellationTests {
    /// An element that runs a closure when the first element with its number is decoded. Decoding for a request that
    /// was cancelled earlier continues meanwhile.
    struct Element: Decodable {
        static let atFirst = Lock<[Int: @Sendable () -> Void]>([:])
        let n: Int

        private enum Keys: CodingKey { case n }
        init(from decoder: any Decoder) throws {
            let n = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .n)
            self.n = n
            Self.atFirst.withLock { $0.removeValue(forKey: n) }?()
        }
    }

    enum Way: CaseIterable { case alone, shared, request, handler, future, cancelledFuture }

    @Test("canceling ends a wait for a long body even while the body is being decoded", arguments: Way.allCases)
    func cancel(way: Way) async throws {
        let number = try #require(Way.allCases.firstIndex(of: way))
        let body = Data(("[" + String(repeating: #"{"n":\#(number)},"#, count: 10_000) + #"{"n":0}]"#).utf8)
        let gate = Gate()
        let server = try LoopbackServer().on(.get, "/api/me") { _ in
            gate.wait()
            return .data(body)
        }
        let request = TestAPI(server).request(.me)
        let future = Lock<Future<[Element]>?>(nil)
        let task = Task {
            switch way {
            case .alone: _ = try await TestAPI(server).request(.me).object([Element].self).count
            case .shared, .request: _ = try await request.object([Element].self).count
            case .handler:
                _ = try await response { request.responseValue(.object([Element].self), on: .global(), $0) }.result
                    .get()
            case .future, .cancelledFuture:
                let made = request.future(of: [Element].self)
                future.withLock { $0 = made }
                _ = try await made.value
            }
        }
        let cancelled = Counter()
        Element.atFirst.withLock {
            $0[number] = {
                switch way {
                case .alone, .shared: task.cancel()
                case .request, .handler, .future: request.cancel()
                case .cancelledFuture: future.withLock { $0 }?.cancel()
                }
                cancelled.increment()
            }
        }
        // The server has received the request only after the future, if there is one, was created. The future is stored
        // next.
        try await eventually("all is set") {
            !server.requests.isEmpty && (way != .cancelledFuture || future.withLock { $0 != nil })
        }
        gate.open()
        let thrown = await #expect(throws: (any Error).self) { try await task.value }
        let error = try #require(thrown)
        #expect(error is CancellationError || error == HTTPError.cancelled)
        #expect(error is CancellationError == (way == .alone || way == .shared))
        try await eventually("the cancelled task has returned") { cancelled.count == 1 }
    }

    @Test("no await waits for conversions that block")
    func blocked() async throws {
        let body = Data(repeating: 0x61, count: 100_000)
        let server = try LoopbackServer().on(.get, "/api/me", .data(body))
        let (gate, started) = (Gate(), Counter())
        defer { gate.open() }
        let slow = ResponseSerializer { _ in
            started.increment()
            gate.wait()
        }
        let tasks = (0..<2 * ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in
            Task { try await TestAPI(server).request(.me).value(slow) }
        }
        try await eventually("conversions are running") {
            started.count >= ProcessInfo.processInfo.activeProcessorCount && server.requests.count == tasks.count
        }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test(
        "a canceled decode does not search for the reason why the body does not match", arguments: ["[", #"{"a":["#])
    func noReason(start: String) async throws {
        let body = start + String(repeating: "1,", count: 1_000_000) + "1" + (start == "[" ? "]" : "]}")
        let response = HTTPResponse(status: 200, data: Data(body.utf8), url: URL(filePath: "/"))
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(throws: HTTPError.cancelled) { try response.object([Element].self, at: start == "[" ? "" : "a") }
            #expect(throws: HTTPError.cancelled) { try response.object([String].self, at: start == "[" ? "" : "a") }
            #expect(throws: HTTPError.cancelled) { try response.object([String: [Element]].self) }
            #expect(throws: HTTPError.cancelled) { try response.json() }
        }.value
    }

    @Test("a value decoded before cancellation is kept, and a later observer decodes the response again")
    func late() async throws {
        let body = Data((#"["# + String(repeating: "1,", count: 100_000) + "1]").utf8)
        let server = try LoopbackServer().on(.get, "/api/me", .data(body))
        let request = TestAPI(server).request(.me)
        #expect(try await request.object([Int].self).count == 100_001)
        request.cancel()
        #expect(try await request.object([Int].self).count == 100_001)
        #expect(try await request.json().array?.count == 100_001)
        #expect(server.requests.count == 1)
    }
}
