import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on routes and parameters, word for word.

// swift-format-ignore
private enum RoutesArticle {
enum Sort: String, ParameterConvertible { case newest, oldest }

static func routes(_ id: String, _ text: String, _ date: Date, _ limit: Int?) -> [Route] {
[
Route(path: "/user/\(id)")        // "a/b?c" gives /user/a%2Fb%3Fc
,
Route(
    path: "/search",
    params: [
        "q": text, "since": date, "tags": ["a", "b"], "sort": Sort.newest,
        "limit": limit,
    ])
,
]
}

static func since(_ date: Date) -> Route {
let route = Route(path: "/search", params: ["since": ISO8601Date(date)])
return route
}
}

struct RoutesArticleTests {
    @Test("the article's examples work") func run() throws {
        let api = TestAPI(StubTransport())
        let date = Date(timeIntervalSince1970: 1_896_098_523)
        let routes = RoutesArticle.routes("a/b?c", "x", date, nil) + [RoutesArticle.since(date)]
        #expect(
            try routes.map { try api.prepare($0).url.absoluteString.dropFirst("https://api.example.com/v1".count) } == [
                "/user/a%2Fb%3Fc", "/search?q=x&since=1896098523000&tags=a&tags=b&sort=newest",
                "/search?since=2030-01-31T14%3A02%3A03Z",
            ])
    }
}
