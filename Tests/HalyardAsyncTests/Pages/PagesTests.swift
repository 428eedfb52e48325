import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Lists that are read page by page.
@Suite(.timeLimit(.minutes(3)))
struct PagesTests {
    struct Item: Codable, Sendable, Equatable { var id: Int }
    static let items = Route(path: "/items", params: ["size": 2])

    /// A page of the items 1...5, two on each.
    static func page(_ number: Int, _ wrap: (String) -> String = { $0 }) -> String {
        let ids = [1, 2, 3, 4, 5].dropFirst((number - 1) * 2).prefix(2)
        return wrap("[\(ids.map { "{\"id\":\($0)}" }.joined(separator: ","))]")
    }

    static func ids(_ items: ResponseSequence<Item>) async throws -> [Int] { try await items.all.map(\.id) }

    @Test("the next page is the relative or absolute URL in the Link header")
    func links() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/api/items") { [url = server.baseURL] request in
            let page = Int(request.queryValue("page") ?? "1") ?? 0
            let next = page == 1 ? "?page=2" : "\(url)/api/items?page=3"
            return .json(
                text: Self.page(page), headers: page == 3 ? [:] : ["Link": "</x>; rel=prev, <\(next)>; rel=\"next\""])
        }
        let api = TestAPI(server).with(\.authentication, .bearer("secret")).with(\.additionalHeaders, ["X-App": "1"])
        #expect(try await Self.ids(api.pages(Self.items, by: .link).items()) == [1, 2, 3, 4, 5])
        #expect(server.requests.map(\.query) == ["size=2", "page=2", "page=3"])
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer secret" })
        #expect(server.requests.allSatisfy { $0.headers["X-App"] == "1" })
    }

    @Test("a provider parameter already in the next page's URL is not added again")
    func providerParameters() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/items", .json(text: "[]", headers: ["Link": "<?page=2&token=a>; rel=next"]), .json(text: "[]"))
        var api = TestAPI(server)
        api.additionalParams = ["token": "a", "lang": "en"]
        for try await _ in api.pages(Self.items, by: .link) {}
        #expect(server.requests.map(\.query) == ["size=2&token=a&lang=en", "page=2&token=a&lang=en"])
    }

    @Test("a relative or absolute URL in the body leads to the next page until it is null")
    func urlInBody() async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            let page = Int(request.queryValue("p") ?? "1") ?? 0
            let next = page == 3 ? "null" : "\"/api/items?p=\(page + 1)\""
            return .json(text: "{\"items\":\(Self.page(page)),\"links\":{\"next\":\(next)}}")
        }
        let pages = TestAPI(server).pages(Self.items, by: .url(at: "links.next"))
        #expect(try await Self.ids(pages.items(at: "items")) == [1, 2, 3, 4, 5])
        #expect(server.requests.map(\.query) == ["size=2", "p=2", "p=3"])
    }

    @Test(
        "a cursor in the body becomes a parameter of the query or of a JSON body", arguments: [HTTPMethod.get, .post])
    func cursors(method: HTTPMethod) async throws {
        let server = try LoopbackServer().on(method, "/api/items") { request in
            let after = method == .get ? request.queryValue("after") : try request.json()["after"].string
            let page = after.flatMap { Int($0.dropFirst()) } ?? 1
            let next = page == 3 ? "\"\"" : "\"c\(page + 1)\""
            return .json(text: "{\"items\":\(Self.page(page)),\"meta\":{\"next\":\(next),\"more\":\(page < 2)}}")
        }
        let route = Route(path: "/items", method: method, params: ["after": "c1", "size": 2])
        let pages = TestAPI(server).pages(route, by: .cursor(at: "meta.next", as: "after"))
        #expect(try await Self.ids(pages.items(at: "items")) == [1, 2, 3, 4, 5])
        if method == .get {
            #expect(server.requests.map(\.query) == ["after=c1&size=2", "after=c2&size=2", "after=c3&size=2"])
        }
        let two = TestAPI(server).pages(route, by: .cursor(at: "meta.next", as: "after", while: "meta.more"))
        #expect(try await Self.ids(two.items(at: "items")) == [1, 2, 3, 4])
    }

    @Test("a cursor can be the ID of the last item")
    func cursorOfLastItem() async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            let page = (Int(request.queryValue("after") ?? "0") ?? 0) / 2 + 1
            return .json(text: "{\"data\":\(Self.page(page)),\"has_more\":\(page < 3)}")
        }
        let paging = Paging.cursor(at: "data.-1.id", as: "after", while: "has_more")
        let pages = TestAPI(server).pages(Self.items, by: paging)
        #expect(try await Self.ids(pages.items(at: "data")) == [1, 2, 3, 4, 5])
        #expect(server.requests.map { $0.queryValue("after") } == [nil, "2", "4"])
    }

    @Test("page numbers continue until an empty page or the last page's number")
    func numbers() async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            .json(
                text: Self.page(Int(request.queryValue("page") ?? "1") ?? 0) { "{\"items\":\($0),\"last\":3}" })
        }
        let api = TestAPI(server)
        #expect(
            try await Self.ids(api.pages(Self.items, by: .number(items: "items")).items(at: "items")) == [
                1, 2, 3, 4, 5,
            ])
        #expect(server.requests.map { $0.queryValue("page") } == [nil, "2", "3", "4"])
        let known = api.pages(Self.items, by: .number(items: "items", last: "last"))
        #expect(try await Self.ids(known.items(at: "items")) == [1, 2, 3, 4, 5])
        #expect(server.requests.count == 7)
        let fromTwo = Route(path: "/items", params: ["page": 2])
        let rest = api.pages(fromTwo, by: .number(items: "items", last: "last"))
        #expect(try await Self.ids(rest.items(at: "items")) == [3, 4, 5])
    }

    @Test("the offset counts the items so far and continues to the total")
    func offsets() async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            let offset = Int(request.queryValue("start") ?? "0") ?? 0
            return .json(text: "{\"items\":\(Self.page(offset / 2 + 1)),\"total\":5}")
        }
        let pages = TestAPI(server).pages(Self.items, by: .offset(as: "start", items: "items", total: "total"))
        #expect(try await Self.ids(pages.items(at: "items")) == [1, 2, 3, 4, 5])
        #expect(server.requests.map { $0.queryValue("start") } == [nil, "2", "4"])
    }

    @Test("page and item limits end the loop without requesting another page")
    func limits() async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            .json(text: Self.page(Int(request.queryValue("page") ?? "1") ?? 0))
        }
        let pages = TestAPI(server).pages(Self.items, by: .number())
        #expect(try await Self.ids(pages.limited(to: 2).items()) == [1, 2, 3, 4])
        #expect(server.requests.count == 2)
        #expect(try await Self.ids(pages.items().limited(to: 2)) == [1, 2])
        #expect(server.requests.count == 3)
        #expect(try await Self.ids(pages.items().limited(to: 3)) == [1, 2, 3])
        #expect(try await Self.ids(pages.limited(to: 0).items()) == [])
    }

    @Test("a page that links back to an earlier one fails after its items", arguments: ["?page=1", "?page=2"])
    func loops(target: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            let isFirst = request.queryValue("page") == "1"
            return .json(text: "[{\"id\":1}]", headers: ["Link": "<\(isFirst ? "?page=2" : target)>; rel=next"])
        }
        let route = Route(path: "/items", params: ["page": 1])
        let log = Log<Int>()
        let error = await failure {
            for try await page in TestAPI(server).pages(route, by: .link) { log.add(page.number) }
        }
        #expect(log.entries == [1, 2])
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.reason == "page 2 leads to a page that was read before")
        #expect(error?.request != nil && error?.response != nil)
        #expect(server.requests.count == 2)
    }

    @Test("credentials and secrets never follow a link to another origin")
    func foreignOrigin() async throws {
        let foreign = try LoopbackServer().on(.get, "/next", .json(text: "[{\"id\":2}]"))
        let server = try LoopbackServer()
            .on(
                .get, "/api/items",
                .json(text: "[{\"id\":1}]", headers: ["Link": "<\(foreign.baseURL)/next>; rel=next"]))
        var api = TestAPI(server).with(\.authentication, .bearer("secret"))
        api.additionalHeaders = ["X-Acme-Key": "secret", "X-App": "1"]
        api.additionalParams = ["token": "secret"]
        let route = Route(path: "/items", headers: ["X-Api-Key": "secret", "X-Trace": "7"])
        #expect(try await Self.ids(api.pages(route, by: .link).items()) == [1, 2])
        let request = try foreign.request
        #expect(!"\(request.target)\(Array(request.headers))".contains("secret"))
        #expect(request.headers["X-Trace"] == "7")
        #expect(try server.request.headers["X-Api-Key"] == "secret")
    }

    @Test("a saved cursor continues later, even after a round trip through JSON", arguments: [true, false])
    func savedCursor(asJSON: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            let page = Int(request.queryValue("page") ?? "1") ?? 0
            return .json(text: Self.page(page), headers: page == 3 ? [:] : ["Link": "<?page=\(page + 1)>; rel=next"])
        }
        let api = TestAPI(server)
        var saved: PageCursor?
        for try await page in api.pages(Self.items, by: .link) {
            #expect(page.number == 1)
            #expect(try page.object([Item].self) == [Item(id: 1), Item(id: 2)])
            saved = page.next
            break
        }
        var cursor = try #require(saved)
        if asJSON {
            cursor = try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode(cursor))
        } else {
            cursor = try #require(PageCursor(rawValue: cursor.rawValue))
        }
        #expect(try await Self.ids(api.pages(Self.items, by: .link, from: cursor).items()) == [3, 4, 5])
        let error = await failure { for try await _ in api.pages(Self.items, by: .number(), from: cursor) {} }
        #expect(error == HTTPError(.configuration("pages")))
        #expect(!"\(cursor)\(String(reflecting: cursor))".contains("page=2"))
        #expect(PageCursor(rawValue: "nonsense") == nil && PageCursor(rawValue: "number:x") == nil)
    }

    @Test("a rate-limited page is retried according to the route's retry policy")
    func rateLimit() async throws {
        let server = try LoopbackServer().on(
            .get, "/api/items", .json(text: "[{\"id\":1}]", headers: ["Link": "<?page=2>; rel=next"]),
            .status(429, retryAfter: 0), .json(text: "[{\"id\":2}]"))
        let pages = TestAPI(server).pages(Self.items.retry(.upTo(attempts: 2)), by: .link)
        #expect(try await Self.ids(pages.items()) == [1, 2])
        #expect(server.requests.count == 3)
    }

    @Test("prefetching requests the next page while the current one is read, and leaving cancels it")
    func prefetching() async throws {
        let requests = Counter()
        let server = try LoopbackServer().on(.get, "/api/items") { request in
            requests.increment()
            return .json(text: Self.page(Int(request.queryValue("page") ?? "1") ?? 0))
        }
        for try await page in TestAPI(server).pages(Self.items, by: .number()).prefetching() {
            try await eventually("the next page is requested") { requests.count > page.number }
            if page.number == 2 { break }
        }
        #expect(requests.count == 3)
        let all = TestAPI(server).pages(Self.items, by: .number()).prefetching().items(of: Item.self)
        #expect(try await Self.ids(all) == [1, 2, 3, 4, 5])
        let limited = requests.count
        #expect(
            try await Self.ids(TestAPI(server).pages(Self.items, by: .number()).prefetching().limited(to: 2).items())
                == [
                    1, 2, 3, 4,
                ])
        #expect(requests.count == limited + 2)
        let pages = TestAPI(server).pages(Self.items, by: .number()).prefetching()
        #expect(try await Self.ids(pages.items().limited(to: 2)) == [1, 2])
        #expect(try await Self.ids(pages.items().limited(to: 3)) == [1, 2, 3])
        #expect(requests.count == limited + 2 + 1 + 2)
    }

    @Test("the errors for malformed pages say what is wrong and where")
    func errors() async throws {
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "{\"items\":3}"))
        let noArray = await failure {
            for try await _ in TestAPI(server).pages(Self.items, by: .number(items: "items")) {}
        }
        #expect(noArray == .decoding)
        #expect(noArray?.reason == "\"items\" is not an array, so that the page has no items to count")
        let noItems = await failure {
            _ = try await Self.ids(TestAPI(server).pages(Self.items, by: .link).items(at: "items"))
        }
        #expect(noItems == .decoding && noItems?.request != nil)
    }

    private func numbers(_ pages: ResponsePages) async throws -> [Int] {
        try await pages.items(of: Int.self, at: "ids").reduce(into: []) { $0.append($1) }
    }

    @Test("a closure creates the route of the next page, for a cursor in a POST body")
    func custom() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/api/search") { request in
            let after = (try? request.json()["after"].int) ?? 0
            return .json(["ids": [JSON(after + 1), JSON(after + 2)], "next": after < 4 ? JSON(after + 2) : nil])
        }
        let search = { @Sendable (after: Int?) in Route(path: "/search", method: .post, params: ["after": after]) }
        let paging = Paging.custom { response in try response.json()["next"].int.map(search) }
        let api = TestAPI(server)
        let pages = api.pages(search(nil), by: paging)
        #expect(try await numbers(pages) == [1, 2, 3, 4, 5, 6])
        #expect(server.requests.map(\.text) == ["", #"{"after":2}"#, #"{"after":4}"#])

        // A cursor continues within the program, and its text does not.
        var next: PageCursor?
        for try await page in pages.limited(to: 1) { next = page.next }
        let first = try #require(next)
        #expect(try await numbers(api.pages(search(nil), by: paging, from: first)) == [3, 4, 5, 6])
        #expect(PageCursor(rawValue: first.rawValue) == nil)
    }

    @Test("header fields about a search's body are not in the requests for its next pages")
    func bodyFields() async throws {
        let stub = StubTransport()
            .on(.post, "/search", ForeignPagesTests.page(next: "/v1/2")).on(.get, "/v1/2", ForeignPagesTests.page())
        let headers: HTTPHeaders = ["Content-Type": "text/a", "Content-Digest": "a=:AA==:", "X-Own": "kept"]
        let search = Route(path: "/search", method: .post, headers: headers, body: .text("blue"))
        #expect(try await TestAPI(stub).pages(search, by: .link).items(of: Int.self).all == [1, 1])
        #expect(headers.map { stub.requests.last?.headers[$0.name] == $0.value } == [false, false, true])
    }

    @Test("an error thrown by the closure ends the list after the page, and a repeated page fails")
    func customErrors() async throws {
        struct Own: Error {}
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "[1]"))
        let api = TestAPI(server)
        var count = 0
        await #expect(throws: Own.self) {
            for try await _ in api.pages(Self.items, by: .custom { _ in throw Own() }) { count += 1 }
        }
        let same = Paging.custom { _ in Self.items }
        let error = await failure { for try await _ in api.pages(Self.items, by: same) { count += 1 } }
        #expect(error?.kind == .invalidResponse && count == 2)
        #expect(error?.description.contains("page 2 has the same content as page 1") == true)
    }
}
