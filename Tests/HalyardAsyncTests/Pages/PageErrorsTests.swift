import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Lists whose next page cannot be read. The pages before are delivered.
@Suite(.timeLimit(.minutes(3)))
struct PageErrorsTests {
    static let items = Route(path: "/items")

    /// Reads a list to its error, and returns the error with the numbers of the pages before it.
    static func read(_ pages: ResponsePages) async -> (HTTPError?, [Int]) {
        let log = Log<Int>()
        let error = await failure { for try await page in pages { log.add(page.number) } }
        return (error, log.entries)
    }

    @Test("a page with an invalid paging value is delivered before the error", arguments: [false, true])
    func invalidValue(prefetches: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "{\"items\":3}"))
        var pages = TestAPI(server).pages(Self.items, by: .number(items: "items"))
        if prefetches { pages = pages.prefetching() }
        let (error, numbers) = await Self.read(pages)
        #expect(error == .decoding)
        #expect(numbers == [1])
    }

    @Test(
        "a saved page number that has no successor fails after its page",
        arguments: [
            (Paging.number(items: "items"), Int.max, HTTPError.Kind.configuration("pages")),
            (.offset(items: "items"), .max, .configuration("pages")),
            (.offset(items: "items"), .max - 2, .configuration("pages")),
            (.offset(items: "items"), .max - 3, .invalidResponse),
            (.number(items: "items"), .min, .invalidResponse),
        ])
    func lastNumber(paging: Paging, number: Int, kind: HTTPError.Kind) async throws {
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "{\"items\":[1,2,3]}"))
        let cursor = try #require(PageCursor(rawValue: "number:\(number)"))
        let (error, numbers) = await Self.read(
            TestAPI(server).pages(Self.items, by: paging, from: cursor).limited(to: 2))
        #expect(error?.kind == kind)
        #expect(numbers == [1])
    }

    @Test("a page that links back to an earlier one is delivered before the error", arguments: [false, true])
    func loop(prefetches: Bool) async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/items", .json(text: "[1]", headers: ["Link": "</api/items>; rel=next"]))
        var pages = TestAPI(server).pages(Self.items, by: .link)
        if prefetches { pages = pages.prefetching() }
        let (error, numbers) = await Self.read(pages)
        #expect(error?.reason == "page 1 leads to a page that was read before")
        #expect(numbers == [1])
        #expect(try await pages.limited(to: 1).items(of: Int.self).all == [1])
    }

    @Test("a page with an invalid next URL is delivered before the error", arguments: [false, true])
    func invalidURL(prefetches: Bool) async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/items", .json(text: "[1]", headers: ["Link": "<ftp://a/>; rel=next"]))
        var pages = TestAPI(server).pages(Self.items, by: .link)
        if prefetches { pages = pages.prefetching() }
        let (error, numbers) = await Self.read(pages)
        #expect(error == HTTPError(.invalidURL("ftp://a/")))
        #expect(error?.response != nil)
        #expect(numbers == [1])
    }

    @Test("a link to the same page is detected immediately, even if the provider adds parameters")
    func loopWithProviderParameters() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/items", .json(text: "[1]", headers: ["Link": "<?page=1>; rel=next"]))
        var api = TestAPI(server)
        api.additionalParams = ["token": "a"]
        let (error, numbers) = await Self.read(api.pages(Route(path: "/items", params: ["page": 1]), by: .link))
        #expect(error?.reason == "page 1 leads to a page that was read before")
        #expect(numbers == [1])
        #expect(server.requests.count == 1)
    }

    @Test(
        "identical content reveals a server that ignores the page number or offset",
        arguments: [Paging.number(items: "items"), .offset(items: "items")], [false, true])
    func ignoredNumber(paging: Paging, prefetches: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "{\"items\":[1,2]}"))
        var pages = TestAPI(server).pages(Self.items, by: paging)
        if prefetches { pages = pages.prefetching() }
        let (error, numbers) = await Self.read(pages)
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.reason == "page 2 has the same content as page 1")
        #expect(numbers == [1])
        #expect(server.requests.count == 2)
    }

    @Test("loops of cursors and of URLs in the body are detected", arguments: ["\"a\"", "\"/api/items?after=a\""])
    func loopInBody(next: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/items", .json(text: "{\"next\":\(next)}"))
        let paging = next == "\"a\"" ? Paging.cursor(at: "next", as: "after") : .url(at: "next")
        let (error, numbers) = await Self.read(TestAPI(server).pages(Self.items, by: paging))
        #expect(error?.reason == "page 2 leads to a page that was read before")
        #expect(numbers == [1, 2])
        #expect(server.requests.count == 2)
    }
}
