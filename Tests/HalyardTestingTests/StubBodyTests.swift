import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Bodies over time, errors in place of them, and progress: of a stub and of a server.
@Suite(.timeLimit(.minutes(3)))
struct StubBodyTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient.shared
    }

    private func api(_ stub: StubTransport) throws -> API {
        API(baseURL: try #require(URL(string: "https://api.example.com")), client: HTTPClient(transport: stub))
    }

    private let chunks = ["ab", "", "cd", "ef"].map { Data($0.utf8) }

    @Test func `chunks arrive when the clock reaches their time`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock).on(.get, "/", .chunked(chunks, every: .seconds(5)))
        var received: [String] = []
        for try await chunk in try api(stub).request(Route(path: "/")).chunks {
            received.append(String(decoding: chunk, as: UTF8.self))
            guard received.count < 3 else { continue }
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
        }
        #expect(received == ["ab", "cd", "ef"])
    }

    @Test func `a server sends chunks with pauses between them`() async throws {
        let server = try LoopbackServer().on(.get, "/", .chunked(chunks, every: .milliseconds(50)))
        let clock = ContinuousClock()
        let start = clock.now
        let text = try await API(baseURL: server.baseURL).request(Route(path: "/")).text()
        #expect(text == "abcdef")
        #expect(clock.now - start >= .milliseconds(100))
    }

    @Test func `events with several lines can be stubbed`() async throws {
        let response = StubResponse.events(["one", "two\nlines", ""])
        let server = try LoopbackServer().on(.get, "/", response)
        for api in [try api(StubTransport().on(.get, "/", response)), API(baseURL: server.baseURL)] {
            var data: [String] = []
            for try await event in api.request(Route(path: "/")).events { data.append(event.data) }
            #expect(data == ["one", "two\nlines", ""])
        }
    }

    @Test func `events can be stubbed with types, IDs and reconnection times`() async throws {
        let events: [ServerSentEvent] = [
            .init(data: "1", id: "41"),
            .init(data: "a\r\nb", name: "end\nid: 9", id: "4\n2", retry: .milliseconds(1500)),
        ]
        let server = try LoopbackServer().on(.get, "/", .events(events))
        for api in [try api(StubTransport().on(.get, "/", .events(events))), API(baseURL: server.baseURL)] {
            var received: [ServerSentEvent] = []
            for try await event in api.request(Route(path: "/")).events { received.append(event) }
            // A line break ends a line of the data, and is left out of other fields.
            let last = ServerSentEvent(data: "a\nb", name: "endid: 9", id: "42", retry: .milliseconds(1500))
            #expect(received == [events[0], last])
        }
    }

    @Test func `an error in place of a response is thrown, or closes the server's connection`() async throws {
        let response = StubResponse.fail(.hostNotFound("x"))
        let api = try api(StubTransport().on(.get, "/", response, .text("then")))
        await #expect(throws: HTTPError(.hostNotFound("x"))) {
            try await api.request(Route(path: "/").retry(.never)).text()
        }
        #expect(try await api.request(Route(path: "/")).text() == "then")
        let server = try LoopbackServer().on(.get, "/", response)
        await #expect(throws: HTTPError.connectionLost) {
            try await API(baseURL: server.baseURL).request(Route(path: "/").retry(.never)).text()
        }
    }

    @Test(arguments: [0, 1, 3, 5])
    func `an error in place of the rest of a body follows the bytes before it`(count: Int) async throws {
        for content in [StubResponse.text("abcdef"), .chunked(chunks)] {
            let response = content.failing(after: count)
            let server = try LoopbackServer().on(.get, "/", response)
            for api in [try api(StubTransport().on(.get, "/", response)), API(baseURL: server.baseURL)] {
                var received = Data()
                let error = await #expect(throws: HTTPError.self) {
                    for try await chunk in api.request(Route(path: "/").retry(.never)).chunks { received += chunk }
                }
                #expect(error?.kind == .connectionLost)
                #expect(String(decoding: received, as: UTF8.self) == "abcdef".prefix(count))
            }
        }
    }

    @Test func `a download that breaks off leaves no file behind`() async throws {
        let stub = StubTransport().on(.get, "/", .text("abcdef").failing(after: 3, with: .timedOut))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "x")
        await #expect(throws: HTTPError.timedOut) {
            try await api(stub).request(Route(path: "/").retry(.never)).download(to: file)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `progress can be scripted`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock).on(
            .post, "/", .text("abcdef").reportingUpload(times: 4, every: .seconds(1)))
        let reports = Lock<[Int64]>([])
        let request = try api(stub).request(Route(path: "/", method: .post, body: .data(Data(count: 400))))
            .uploadProgress(on: .global()) { progress in reports.withLock { $0.append(progress.completed) } }
        async let data = request.data()
        for count in 1...4 {
            try await eventually("the report arrives") { reports.withLock { $0.count } == count }
            guard count < 4 else { continue }
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
        }
        #expect(try await data.count == 6)
        #expect(reports.withLock { $0 } == [100, 200, 300, 400])
    }
}
