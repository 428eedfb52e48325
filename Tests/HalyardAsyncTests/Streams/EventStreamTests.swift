import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardAsync

/// Server-sent events over a connection.
@Suite(.timeLimit(.minutes(3)))
struct EventStreamTests {
    static let feed = Route(path: "/feed")
    static let quick = ReconnectPolicy.standard.with(delay: .milliseconds(1))

    static func stream(_ text: String, status: Int = 200) -> StubResponse {
        .data(Data(text.utf8), contentType: "text/event-stream; charset=utf-8", status: status)
    }

    @Test("events arrive while the stream is open, and the request accepts text/event-stream")
    func events() async throws {
        let (gate, heads) = (Gate(), Log<String>())
        let server = try ScriptedServer { connection in
            heads.add(connection.readHead() ?? "")
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\n\r\n")
            connection.write("event: add\nid: 1\ndata: fir")
            connection.write("st\n\n: keep-alive\n\n")
            gate.wait()
            connection.write("data: second\n\ndata: cut off")
        }
        var events: [ServerSentEvent] = []
        for try await event in TestAPI(baseURL: server.baseURL).request(Self.feed).events {
            events.append(event)
            gate.open()
        }
        #expect(events == [.init(data: "first", name: "add", id: "1"), .init(data: "second", id: "1")])
        #expect(heads.entries.first?.contains("\r\nAccept: text/event-stream\r\n") == true)
    }

    @Test("a route's own Accept header is kept")
    func ownAccept() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream("data: a\n\n"))
        let route = Route(path: "/feed", headers: ["Accept": "text/event-stream, application/json"])
        for try await _ in TestAPI(server).request(route).events {}
        #expect(try server.request.headers.values(for: "Accept") == ["text/event-stream, application/json"])
    }

    @Test("without a policy the sequence ends with the response, and a failure is thrown")
    func ends() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/feed", Self.stream("data: a\n\n"))
            .on(
                .get, "/api/broken",
                .raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100\r\n\r\ndata: a\n\n"))
        #expect(try await TestAPI(server).request(Self.feed).events.all.map(\.data) == ["a"])
        let log = Log<String>()
        let error = await failure {
            for try await event in TestAPI(server).request(Route(path: "/broken")).events { log.add(event.data) }
        }
        #expect(error == .connectionLost)
        #expect(log.entries == ["a"])
        #expect(server.requests.count == 2)
    }

    @Test(
        "a stream that ends without its terminator is treated as cut off",
        arguments: ["data: 1\n\n", "", "data: 1\n\ndata: [DONE]"])
    func cutOff(text: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream(text))
        let seen = Log<Int>()
        let error = await failure {
            for try await value in TestAPI(server).request(Self.feed).events(of: Int.self, until: "[DONE]") {
                seen.add(value)
            }
        }
        #expect(error == .connectionLost && error?.response?.status == 200)
        #expect(error?.reason?.contains("[DONE]") == true)
        #expect(seen.entries == (text.isEmpty ? [] : [1]))
        let request = { TestAPI(server).request(Self.feed) }
        #expect(try await request().events(of: Int.self).all == seen.entries)
        let values = request().events(of: Int.self, until: "[DONE]").allowingMissingTerminator()
        #expect(try await values.all == seen.entries)
    }

    @Test("a stream with its terminator is complete, and so is an empty 204")
    func terminated() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/feed", Self.stream("data: 1\n\nevent: end\ndata: [DONE]\n\n")).on(
                .get, "/api/none", .status(204))
        let api = TestAPI(server)
        #expect(try await api.request(Self.feed).events(of: Int.self, until: "[DONE]").named("message").all == [1])
        #expect(try await api.request(Route(path: "/none")).events(of: Int.self, until: "[DONE]").all == [])
    }

    private enum Change: Equatable, Sendable {
        case price(Int)
        case news(String)
    }

    private struct Unknown: Error, Equatable { let name: String }

    private static func change(_ event: EncodedEvent) throws -> Change? {
        switch event.name {
        case "price": return .price(try event.decode())
        case "news": return .news(try event.decode())
        case "message": return nil
        default: throw Unknown(name: event.name)
        }
    }

    @Test("a closure maps events of several types to values and can skip events")
    func severalTypes() async throws {
        let text = "event: price\nid: 7\ndata: 12\n\ndata: hello\n\nevent: news\ndata: rain\n\ndata: end\n\ndata: x\n\n"
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream(text))
        let changes = { TestAPI(server).request(Self.feed).events(until: "end", Self.change) }
        #expect(try await changes().all == [.price(12), .news("rain")])
        #expect(try await changes().named("news").all == [.news("rain")])
        let events = try await changes().withEvents.all
        #expect(events.map(\.event.id) == ["7", "7"] && events.map(\.value) == [.price(12), .news("rain")])
        #expect(server.requests.count == 3)
    }

    @Test("a closure's error ends the stream; a decoding error gives the event number, request and data")
    func severalTypesErrors() async throws {
        let wrong = "data: a\n\nevent: price\ndata: twelve\n\nevent: price\ndata: 1\n\n"
        let server = try LoopbackServer()
            .on(.get, "/api/feed", Self.stream(wrong), Self.stream("event: odd\ndata: 1\n\n"))
        let changes = { TestAPI(server).request(Self.feed).events(Self.change) }
        let error = await failure { for try await _ in changes() {} }
        #expect(error == .decoding && error?.reason?.hasPrefix("event 2, price: ") == true)
        #expect(error?.request?.url.path == "/api/feed" && error?.response?.text == "twelve")
        await #expect(throws: Unknown(name: "odd")) { for try await _ in changes() {} }
    }

    @Test("an error status ends the stream, even after a reconnection")
    func errorStatus() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/feed", Self.stream("data: a\n\n"), .json(text: #"{"why":"maintenance"}"#, status: 503))
        let error = await failure {
            for try await _ in TestAPI(server).request(Self.feed).events.reconnecting(Self.quick) {}
        }
        #expect(error == .status(503))
        #expect(error?.response?.text == #"{"why":"maintenance"}"#)
        #expect(server.requests.count == 2)
    }

    @Test("another content type ends the stream with the response and the start of its body")
    func contentType() async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", .json(text: #"{"error":"no streaming"}"#))
        let error = await failure {
            for try await _ in TestAPI(server).request(Self.feed).events.reconnecting(Self.quick) {}
        }
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.reason == "the response is application/json, and not text/event-stream")
        #expect(error?.response?.text == #"{"error":"no streaming"}"#)
        #expect(error?.request?.url.path() == "/api/feed")
        #expect(server.requests.count == 1)
    }

    @Test("an event larger than the limit fails after the events before it")
    func eventLimit() async throws {
        let endless = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\ndata: ")
            while connection.write("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") {}
        }
        let log = Log<String>()
        let refusal = await failure {
            let events = TestAPI(baseURL: endless.baseURL).request(Self.feed).events.eventLimit(10_000)
            for try await event in events.reconnecting(Self.quick) { log.add(event.data) }
        }
        #expect(log.entries == ["a"])
        #expect(refusal == HTTPError(.bodyTooLarge(limit: 10_000)))
        #expect(refusal?.request != nil)
    }

    @Test("leaving the loop ends the transfer")
    func leaving() async throws {
        let ended = Counter()
        let server = try ScriptedServer.unended("Content-Type: text/event-stream", "data: a\n\n", ended)
        let request = TestAPI(baseURL: server.baseURL).request(Self.feed)
        for try await _ in request.events.reconnecting() { break }
        try await eventually("the connection is closed") { ended.count == 1 }
    }

    struct Delta: Codable, Sendable, Equatable { var textPart: String }

    @Test("values are decoded with the route's mapper, up to the terminator")
    func values() async throws {
        let text = "data: {\"text_part\":\"a\"}\n\ndata: {\"text_part\":\ndata: \"b\"}\n\ndata: [DONE]\n\ndata: x\n\n"
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream(text))
        let route = Self.feed.mapper(ObjectMapper(keys: .snakeCase))
        let values = try await TestAPI(server).request(route).events(of: Delta.self, until: "[DONE]").all
        #expect(values == [Delta(textPart: "a"), Delta(textPart: "b")])
        #expect(try await TestAPI(server).request(Self.feed).events(of: String.self).all.last == "x")
    }

    @Test("values carry their events, and events with other names are skipped without decoding")
    func namedValues() async throws {
        let text = """
            event: delta\nid: 7\ndata: {"textPart":"a"}\n\nevent: ping\ndata: now\n\ndata: {"textPart":"b"}\n\n\
            event: other\ndata: {}\n\ndata: [DONE]\n\ndata: {"textPart":"c"}\n\n
            """
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream(text))
        let events = TestAPI(server).request(Self.feed).events(of: Delta.self, until: "[DONE]")
        let all = try await events.named("delta", "message").withEvents.all
        let first = ServerSentEvent(data: #"{"textPart":"a"}"#, name: "delta", id: "7")
        #expect(all.first?.value == Delta(textPart: "a") && all.first?.event == first)
        #expect(all.map(\.value.textPart) == ["a", "b"] && all.map(\.event.id) == ["7", "7"])
        let unended = TestAPI(server).request(Self.feed).events(of: Delta.self, until: "[DONE]").named("delta")
        #expect(try await unended.all == [Delta(textPart: "a")])
        let error = await failure { _ = try await TestAPI(server).request(Self.feed).events(of: Delta.self).all }
        #expect(error?.reason?.hasPrefix("event 2, ping: ") == true)
        let other = TestAPI(server).request(Self.feed).events(of: Delta.self).named("delta", "other")
        #expect(await failure { _ = try await other.all }?.reason?.hasPrefix("event 4, other: ") == true)
        let pings = TestAPI(server).request(Self.feed).events.named("ping")
        #expect(try await pings.all.map(\.data) == ["now"])
    }

    @Test("the error for mismatched data gives the event number, the path and the data")
    func invalidValue() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/feed", Self.stream("data: {\"textPart\":\"a\"}\n\ndata: {\"textPart\":1}\n\n"))
        let log = Log<String>()
        let error = await failure {
            for try await delta in TestAPI(server).request(Self.feed).events(of: Delta.self) { log.add(delta.textPart) }
        }
        #expect(error == .decoding)
        #expect(error?.reason == #"event 2, message: "textPart" is a number, where Delta needs String"#)
        #expect(error?.response?.text == #"{"textPart":1}"#)
        #expect(error?.request != nil && error?.cause is DecodingError)
        #expect(log.entries == ["a"])
    }

    @Test("callbacks receive the elements in order and the end once", arguments: [true, false])
    func callbacks(onMain: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/feed", Self.stream("data: a\n\ndata: b\n\n"))
        let log = Log<String>()
        let events = TestAPI(server).request(Self.feed).events
        if onMain {
            events.forEach {
                log.add($0.data)
            } onEnd: {
                log.add("\($0.isSuccess)")
            }
        } else {
            let queue = DispatchQueue(label: "events")
            events.forEach(on: queue) {
                dispatchPrecondition(condition: .onQueue(queue))
                log.add($0.data)
            } onEnd: {
                log.add("\($0.isSuccess)")
            }
        }
        try await eventually("the end is reported") { log.entries.count == 3 }
        #expect(log.entries == ["a", "b", "true"])
    }

    @Test("canceling a callback's task ends the transfer and reports the cancellation")
    func cancelledCallbacks() async throws {
        let ended = Counter()
        let server = try ScriptedServer.unended("Content-Type: text/event-stream", "data: a\n\n", ended)
        let (log, queue) = (Log<String>(), DispatchQueue(label: "events"))
        let task = TestAPI(baseURL: server.baseURL).request(Self.feed).events.forEach(on: queue) {
            log.add($0.data)
        } onEnd: { result in
            if case .failure(let error) = result { log.add("\(error is CancellationError)") }
        }
        try await eventually("the event is here") { log.entries == ["a"] }
        task.cancel()
        try await eventually("the end is reported") { log.entries == ["a", "true"] && ended.count == 1 }
    }
}

extension AsyncSequence {
    /// All elements.
    var all: [Element] {
        get async throws {
            var elements: [Element] = []
            for try await element in self { elements.append(element) }
            return elements
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
