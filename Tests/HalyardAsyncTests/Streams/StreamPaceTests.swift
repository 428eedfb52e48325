import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Streams are read only as fast as their reader, and handlers receive the elements of each kind of stream.
@Suite(.timeLimit(.minutes(3)))
struct StreamPaceTests {
    struct Item: Codable, Sendable { var id: Int }

    enum Kind: String, CaseIterable, Sendable {
        case events, lines, values, elements

        var start: String { self == .elements ? "[{\"id\":0}" : "" }

        /// An element of about a kilobyte.
        var element: String {
            let json = "{\"id\":1,\"x\":\"\(String(repeating: "x", count: 1000))\"}"
            return switch self {
            case .events: "data: \(json)\n\n"
            case .lines, .values: json + "\n"
            case .elements: "," + json
            }
        }

        var contentType: String { self == .events ? "text/event-stream" : "application/json" }

        /// Reads one element, and waits for the cancellation of its task before the next one.
        func readOne(_ request: Request, _ isRead: Counter) async throws {
            switch self {
            case .events: try await Self.readOne(request.events, isRead)
            case .lines: try await Self.readOne(request.lines, isRead)
            case .values: try await Self.readOne(request.lines(of: Item.self), isRead)
            case .elements: try await Self.readOne(request.elements(of: Item.self), isRead)
            }
        }

        private static func readOne(_ stream: some ResponseStream, _ isRead: Counter) async throws {
            for try await _ in stream {
                isRead.increment()
                // This waits until the task is cancelled.
                let (nothing, continuation) = AsyncStream.makeStream(of: Void.self)
                for await _ in nothing {}
                continuation.finish()
            }
        }
    }

    @Test("a reader that stops holds the server back", arguments: Kind.allCases)
    func backpressure(kind: Kind) async throws {
        let (written, isRead) = (Counter(), Counter())
        let block = Data(Array(repeating: kind.element, count: 64).joined().utf8)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(kind.contentType)\r\n\r\n\(kind.start)")
            while connection.write(block) { written.increment() }
        }
        let request = TestAPI(baseURL: server.baseURL).request(Route(path: "/stream"))
        let task = Task { try await kind.readOne(request, isRead) }
        try await eventually("an element is read") { isRead.count == 1 }
        let count = try await settled { written.count }
        // The system's own buffers hold 32 MB and more.
        #expect(count < 2048, "\(count) blocks of 64 kB")
        #expect(isRead.count == 1)
        task.cancel()
        _ = await task.result
    }

    @Test("handlers receive lines and array elements as values, and the error at the end")
    func handlers() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/lines", .text("{\"id\":1}\n{\"id\":2}\noops\n"))
            .on(.get, "/api/elements", .json(text: "[{\"id\":3},{\"id\":4}]"))
        let (log, queue, api) = (Log<Int>(), DispatchQueue(label: "values"), TestAPI(server))
        api.request(Route(path: "/lines")).lines(of: Item.self).forEach(on: queue) {
            log.add($0.id)
        } onEnd: { result in
            if case .failure(let error) = result { log.add((error as? HTTPError) == .decoding ? -1 : -2) }
        }
        try await eventually("the end of the lines is reported") { log.entries.count == 3 }
        api.request(Route(path: "/elements")).elements(of: Item.self).forEach {
            log.add($0.id)
        } onEnd: { result in
            if case .success = result { log.add(0) }
        }
        try await eventually("the end of the elements is reported") { log.entries.count == 6 }
        #expect(log.entries == [1, 2, -1, 3, 4, 0])
    }

    @Test("a rate-limited page is requested again after the server's time, on the client's clock")
    func rateLimit() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/items", .json(text: "[1]", headers: ["Link": "<?page=2>; rel=next"]),
            .status(429, retryAfter: 17), .json(text: "[2]"))
        let clock = ManualClock()
        let client = HTTPClient(transport: TestAPI.patientClient.transport, clock: clock)
        let api = TestAPI(server).with(\.client, client)
        let pages = api.pages(Route(path: "/items").retry(.upTo(attempts: 2)), by: .link)
        let task = Task { try await pages.items(of: Int.self).all }
        try await eventually("the request waits") { clock.sleeperCount == 1 }
        clock.advance(by: .milliseconds(16_999))
        #expect(clock.sleeperCount == 1)
        #expect(server.requests.count == 2)
        clock.advance(by: .milliseconds(1))
        #expect(try await task.value == [1, 2])
        #expect(server.requests.count == 3)
    }
}
