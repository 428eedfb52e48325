import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Endpoints whose responses are streams or pages.
@Suite(.timeLimit(.minutes(3)))
struct StreamEndpointTests {
    struct Item: Codable, Sendable, Equatable { var id: Int }

    static let chat = Endpoint(.post, "/chat/{room}", .path("room"), .field("prompt"), returning: Item.self)
    static let watch = Endpoint(.get, "/watch", returning: Item.self)
    static let all = Endpoint(.get, "/items", returning: [Item].self)
    static let enveloped = Endpoint(.get, "/{kind}", .path("kind"), returning: [Item].self, at: "data.1.items")

    private func ids(_ items: some AsyncSequence<Item, any Error>) async throws -> [Int] {
        var ids: [Int] = []
        for try await item in items { ids.append(item.id) }
        return ids
    }

    @Test("events, lines and elements are decoded to the endpoint's result type")
    func streams() async throws {
        let events = Data("data: {\"id\":1}\n\ndata: {\"id\":2}\n\ndata: [DONE]\n\n".utf8)
        let server = try LoopbackServer()
            .on(.post, "/api/chat/a%2Fb", .data(events, contentType: "text/event-stream"))
            .on(.get, "/api/watch", .text("{\"id\":3}\n{\"id\":4}\n"))
            .on(.get, "/api/items", .json(text: "{\"data\":[{\"id\":5}]}"))
        let api = TestAPI(server)
        #expect(try await ids(api.events(Self.chat("a/b", "hello"), until: "[DONE]")) == [1, 2])
        #expect(try server.request.json()["prompt"].string == "hello")
        let numbers = api.request(Self.chat("a/b", "hello")).events(until: "[DONE]") { event -> Int? in
            let item: Item = try event.decode()
            return item.id == 1 ? nil : item.id
        }
        var all: [Int] = []
        for try await number in numbers { all.append(number) }
        #expect(all == [2])
        #expect(try await ids(api.lines(Self.watch)) == [3, 4])
        #expect(try await ids(api.elements(Self.all, at: "data")) == [5])
    }

    @Test("an endpoint's key path applies to every way of reading it and to its stub")
    func keyPaths() async throws {
        let stub = StubTransport().on(Self.enveloped, returning: [Item(id: 1), Item(id: 2)])
            .on(Self.enveloped("old"), .json(text: #"{"data": [null, {"list": []}], "items": [{"id": 3}]}"#))
            .on(Endpoint(.get, "/motto", returning: String.self, at: "motto.text"), returning: "per aspera")
        let api = TestAPI(stub)
        let new = Self.enveloped("new").retry(.never)
        #expect(new.keyPath == "data.1.items")
        #expect(try await api.send(new) == [Item(id: 1), Item(id: 2)])
        #expect(try await ids(api.items(new, by: .link)) == [1, 2])
        #expect(try await ids(api.elements(new)) == [1, 2])
        #expect(try await ids(api.items(Self.enveloped("old"), at: "items", by: .link)) == [3])
        let text = #"{"motto":{"text":"per aspera"}}"#
        #expect(try await api.request(Route(path: "/motto")).text() == text)

        let error = await failure { _ = try await api.send(Self.enveloped("old")) }
        #expect(error?.reason == #""data.1.items" is missing, where Array<Item> was expected"#)
        #expect(Self.all.keyPath == "")
    }

    @Test(
        "the next page's query replaces that of the endpoint's arguments",
        arguments: [
            (Paging.link, "page", ["/v1/list?page=1&q=x", "/v1/list?page=2&q=y"]),
            (.url(at: "next"), "page", ["/v1/list?page=1&q=x", "/v1/list?page=2&q=y"]),
            (.cursor(at: "cursor", as: "page"), "page", ["/v1/list?page=1&q=x", "/v1/list?page=n2&q=x"]),
            (.cursor(at: "cursor", as: "after"), "page", ["/v1/list?page=1&q=x", "/v1/list?page=1&q=x&after=n2"]),
            (.number(as: "page"), "page", ["/v1/list?page=1&q=x", "/v1/list?page=2&q=x"]),
            (.offset(as: "skip", items: "items"), "skip", ["/v1/list?skip=1&q=x", "/v1/list?skip=3&q=x"]),
        ])
    func queriesOfPages(paging: Paging, name: String, targets: [String]) async throws {
        let next = "/v1/list?page=2&q=y"
        let stub = StubTransport().on(
            .get, "/list",
            .json(
                ["items": [["id": 1], ["id": 2]], "next": .string(next), "cursor": "n2"],
                headers: ["Link": "<\(next)>; rel=next"]),
            .json(["items": []]))
        let endpoint =
            name == "page"
            ? Endpoint(.get, "/list", .query("page"), .query("q"), returning: [Item].self, at: "items")
            : Endpoint(.get, "/list", .query("skip"), .query("q"), returning: [Item].self, at: "items")
        #expect(try await ids(TestAPI(stub).items(endpoint("1", "x"), by: paging)) == [1, 2])
        #expect(stub.requests.map(\.target) == targets)
        #expect(stub.requests.map { $0.origin?.description } == ["https://api.example.com", "https://api.example.com"])
    }

    @Test("streams of endpoints take the same options as streams of requests")
    func options() async throws {
        func events(_ text: String) -> StubResponse { .data(Data(text.utf8), contentType: "text/event-stream") }
        let server = try LoopbackServer()
            .on(
                .get, "/api/watch", events("id: 7\ndata: {\"id\":1}\n\n"), events("data: {\"id\":2}\n\n"),
                .status(204)
            )
            .on(.get, "/api/items", .text("{\"id\":3}\noops\n{\"id\":4}\n"))
        let api = TestAPI(server)
        var policy = ReconnectPolicy.standard
        policy.delay = .milliseconds(1)
        let values = api.events(Self.watch).lastEventID("6").reconnecting(policy)
        #expect(try await ids(values) == [1, 2])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["6", "7", "7"])

        let lines = Endpoint(.get, "/items", returning: Item.self)
        let errors = Log<HTTPError>()
        #expect(try await ids(api.lines(lines) { errors.add($0) }) == [3, 4])
        #expect(errors.entries.map { $0.reason?.prefix(6) } == ["line 2"])
        let long = await failure { _ = try await ids(api.lines(lines, limit: 3)) }
        #expect(long == HTTPError(.bodyTooLarge(limit: 3)))
        server.on(.get, "/api/items", .json(text: "[{\"id\":5}]"))
        let large = await failure { _ = try await ids(api.elements(Self.all, limit: 3)) }
        #expect(large == HTTPError(.bodyTooLarge(limit: 3)))
        server.on(.get, "/api/watch", events("id: 8\ndata: x\n\n"))
        for try await event in api.request(Self.watch).events { #expect((event.id, event.data) == ("8", "x")) }
        let event = await failure { _ = try await ids(api.events(Self.watch).eventLimit(3)) }
        #expect(event == HTTPError(.bodyTooLarge(limit: 3)))
    }

    @Test("handlers receive the values of an endpoint's stream")
    func handlers() async throws {
        let server = try LoopbackServer().on(.get, "/api/watch", .text("{\"id\":3}\n{\"id\":4}\n"))
        let (log, queue) = (Log<Int>(), DispatchQueue(label: "values"))
        TestAPI(server).lines(Self.watch).forEach(on: queue) {
            log.add($0.id)
        } onEnd: { result in
            if case .success = result { log.add(0) }
        }
        try await eventually("the end is reported") { log.entries == [3, 4, 0] }
    }

    @Test("a stub can send events in dry mode, and the error for one of another type gives a hint")
    func dryEvents() async throws {
        let api = TestAPI(baseURL: try #require(URL(string: "https://api.example.com"))).dry()
        let stubbed = Endpoint(.get, "/watch", returning: Item.self) { .events(["{\"id\":\n1}", "{\"id\":2}"]) }
        #expect(try await ids(api.events(stubbed)) == [1, 2])
        let json = Endpoint(.get, "/watch", returning: Item.self) { .json(Item(id: 1)) }
        let error = await failure { _ = try await ids(api.events(json)) }
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.suggestion == "The client is in dry mode: add a stub with .events to the endpoint")
    }

    @Test("items of pages have the element type of the endpoint's result")
    func pages() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/items", .json(text: "[{\"id\":1}]", headers: ["Link": "<?page=2>; rel=next"]),
            .json(text: "[{\"id\":2}]"))
        #expect(try await ids(TestAPI(server).items(Self.all, by: .link)) == [1, 2])
        var numbers: [Int] = []
        for try await page in TestAPI(server).pages(Self.all, by: .link) { numbers.append(page.number) }
        #expect(numbers == [1])
    }
}
