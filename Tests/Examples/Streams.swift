import Foundation
import HalyardEndpoints

/// `stream-examples URL`: reads each kind of stream, and pages and failures, from the server of server.py, and sends a
/// compressed body. It ends with status 1 if anything is missing.
@main
struct Streams {
    struct Prompt: Codable, Sendable { var text: String }
    struct Delta: Codable, Sendable { var text: String }
    struct Item: Codable, Sendable { var id: Int }

    struct OrderFailure: Error, Decodable {
        var title: String
        var balance: Int
    }

    struct API: HTTPProvider {
        let baseURL: URL
        let failures = Failures.json(OrderFailure.self)
    }

    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first.flatMap(URL.init(string:)) else {
            print("stream-examples URL")
            exit(2)
        }
        let api = API(baseURL: url)
        try await events(api)
        try await values(api)
        try await endpoints(api)
        try await handlers(api)
        try await pages(api)
        try await failures(api)
        try await requests(api)
    }

    private static func events(_ api: API) async throws {
        var words: [String] = []
        let chat = Route(path: "/chat", method: .post, body: .json(Prompt(text: "streams of typed values")))
        for try await delta in api.request(chat).events(of: Delta.self, until: "[DONE]") { words.append(delta.text) }
        check("events of a POST", words, ["streams", "of", "typed", "values"])

        var numbers: [String] = []
        for try await event in api.request(Route(path: "/feed")).events.reconnecting() {
            numbers.append("\(event.name) \(event.id ?? "-") \(event.data)")
        }
        check("events over several connections", numbers, (1...9).map { "tick \($0) \($0)" })

        numbers = []
        for try await event in api.request(Route(path: "/feed")).events.lastEventID("6").reconnecting() {
            numbers.append(event.data)
        }
        check("events after a saved one", numbers, ["7", "8", "9"])
    }

    private static func values(_ api: API) async throws {
        check("lines of JSON", try await ids(api.request("/watch").lines(of: Item.self)), Array(1...100))
        check("a JSON text sequence", try await ids(api.request("/sequence").lines(of: Item.self)), Array(1...100))
        let elements = api.request("/export").elements(of: Item.self, at: "data.users")
        check("elements of an array", try await ids(elements), Array(1...100))
    }

    private static func endpoints(_ api: API) async throws {
        let chat = Endpoint(.post, "/chat", .json(Prompt.self), returning: Delta.self)
        var words: [String] = []
        let prompt = Prompt(text: "by endpoint")
        for try await delta in api.events(chat(prompt), until: "[DONE]") { words.append(delta.text) }
        check("events of an endpoint", words, ["by", "endpoint"])
        let watch = Endpoint(.get, "/watch", returning: Item.self)
        check("lines of an endpoint", try await ids(api.lines(watch)), Array(1...100))
        let export = Endpoint(.get, "/export", returning: [Item].self)
        check("elements of an endpoint", try await ids(api.elements(export, at: "data.users")), Array(1...100))
        let items = Endpoint(.get, "/items", returning: [Item].self)
        check("items of an endpoint", try await ids(api.items(items, by: .link)), Array(1...15))
    }

    private static func handlers(_ api: API) async throws {
        let (received, continuation) = AsyncStream.makeStream(of: Int.self)
        api.request("/watch").lines(of: Item.self).forEach {
            continuation.yield($0.id)
        } onEnd: { _ in
            continuation.finish()
        }
        var ids: [Int] = []
        for await id in received { ids.append(id) }
        check("lines by handlers", ids, Array(1...100))
    }

    private static func pages(_ api: API) async throws {
        let items = api.pages(Route(path: "/items"), by: .link).items(of: Item.self)
        check("items of pages by link", try await ids(items), Array(1...15))
        let ways: [(String, Paging)] = [
            ("cursor", .cursor(at: "next", as: "after")), ("URL", .url(at: "url")),
            ("number", .number(items: "items")), ("offset", .offset(items: "items", total: "total")),
        ]
        for (name, paging) in ways {
            let items = api.pages(Route(path: "/list"), by: paging).items(of: Item.self, at: "items")
            check("items of pages by \(name)", try await ids(items), Array(1...15))
        }
        var saved: PageCursor?
        for try await page in api.pages(Route(path: "/list"), by: .url(at: "url")).limited(to: 2) { saved = page.next }
        let rest = api.pages(
            Route(path: "/list"), by: .url(at: "url"), from: saved.flatMap { PageCursor(rawValue: $0.rawValue) })
        check("items after a saved page", try await ids(rest.items(of: Item.self, at: "items")), Array(7...15))
    }

    private static func failures(_ api: API) async throws {
        let order = Route(path: "/orders", method: .post)
        do {
            try await api.request(order).void()
            check("a failure", "success", "a failure")
        } catch let failure as OrderFailure {
            check("a failure of the API's type", failure.balance, 30)
        }
        struct PlainAPI: HTTPProvider { let baseURL: URL }
        do {
            try await PlainAPI(baseURL: api.baseURL).request(order).void()
            check("a failure", "success", "a failure")
        } catch let error as HTTPError {
            check("problem details", error.problem?.title, "No credit")
        }
    }

    /// The session of a server that answers 409 first, and a compressed body.
    private static func requests(_ api: API) async throws {
        actor Session: Authenticator {
            private var id: String?
            nonisolated let recoverableStatuses: Set<Int> = [409]
            func authenticate(_ request: inout HTTPRequest) async throws { request.headers["X-Session-Id"] = id }
            func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
                id = response.headers["X-Session-Id"]
                return id != nil
            }
        }
        struct SessionAPI: HTTPProvider {
            let baseURL: URL
            let authentication = Authentication(Session(), allowsHTTP: true)
        }
        let response = try await SessionAPI(baseURL: api.baseURL).request("/rpc").response()
        check("a session by 409", response.sendCount, 2)

        let body = Data(repeating: UInt8(ascii: "a"), count: 1 << 20)
        let upload = Route(path: "/upload", method: .post, body: .data(body)).compressed()
        let json = try await api.request(upload).json()
        check("a compressed body", json["plain"].int, 1 << 20)
        check("its size", (json["sent"].int ?? .max) < 10_000, true)
    }

    private static func ids(_ items: some AsyncSequence<Item, any Error>) async throws -> [Int] {
        var ids: [Int] = []
        for try await item in items { ids.append(item.id) }
        return ids
    }

    private static func check<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
        print("\(what): \(found == expected ? "as expected" : "\(found), and not \(expected)")")
        if found != expected { exit(1) }
    }
}

extension HTTPProvider {
    fileprivate func request(_ path: RoutePath) -> Request { request(Route(path: path)) }
}
