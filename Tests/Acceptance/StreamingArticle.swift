import Foundation
import HalyardEndpoints

// The examples of the articles on streaming and paging, word for word: they compile, and none is run.

private struct Prompt: Codable, Sendable { var text: String }
private struct Delta: Codable, Sendable { var text: String }
private struct Price: Codable, Sendable { var value: Double }
private struct News: Codable, Sendable { var title: String }
private enum Update: Sendable { case price(Price), news(News) }
private struct Change: Codable, Sendable { var version: Int }
private struct Issue: Codable, Sendable { var number: Int }

private struct API: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com")!
}

extension Route {
    fileprivate static let feed = Route(path: "/feed").idleTimeout(.seconds(90))
    fileprivate static let watch = Route(path: "/watch")
    fileprivate static func changes(after version: Int) -> Route {
        Route(path: "/changes", params: ["after": version])
    }
    fileprivate static let export = Route(path: "/export")
    fileprivate static let issues = Route(path: "/issues")
    fileprivate static func chat(_ prompt: Prompt) -> Route {
        Route(path: "/chat", method: .post, body: .json(prompt))
    }
}

private enum Chats {
    static let complete = Endpoint(.post, "/chat", .json(Prompt.self), returning: Delta.self)
}

private enum Issues {
    static let all = Endpoint(.get, "/issues", returning: [Issue].self)
}

private func show(_ value: Any) {}

private func events(_ api: API) async throws {
    for try await event in api.request(.feed).events {
        print(event.id ?? "-", event.name, event.data)
    }
}

private func values(_ api: API, _ prompt: Prompt) async throws {
    for try await delta in api.request(.chat(prompt))
        .events(of: Delta.self, until: "[DONE]")
    {
        print(delta.text, terminator: "")
    }
}

private func valuesWithEvents(_ api: API) async throws {
    let deltas = api.request(.feed).events(of: Delta.self).named("delta")
    for try await (delta, event) in deltas.withEvents {
        print(event.id ?? "-", delta.text)
    }
}

private func eventsByName(_ api: API) async throws {
    let updates = api.request(.feed).events { event in
        switch event.name {
        case "price": Update.price(try event.decode())
        case "news": Update.news(try event.decode())
        default: nil
        }
    }
    for try await update in updates.reconnecting() { show(update) }
}

private func endpoint(_ api: API, _ prompt: Prompt) async throws {
    for try await delta in api.events(Chats.complete(prompt), until: "[DONE]") {
        show(delta)
    }
}

private func reconnecting(_ api: API) async throws {
    for try await event in api.request(.feed).events.reconnecting(
        .upTo(attempts: 20))
    { show(event) }
}

private func continuing(_ api: API, _ saved: String?) async throws {
    for try await event in api.request(.feed).events.lastEventID(saved)
        .reconnecting()
    { show(event) }
}

@MainActor private func callbacks(_ api: API) {
    let feed = api.request(.feed).events.forEach { event in
        show(event.data)
    } onEnd: { result in
        print(result)
    }
    feed.cancel()
}

private func lines(_ api: API) async throws {
    for try await change in api.request(.watch).lines(of: Change.self) {
        show(change)
    }
}

private func watch(_ api: API) async throws {
    let changes = api.watch(.changes(after: 0)) {
        $0.lines(of: Change.self)
    } from: {
        .changes(after: $0.version)
    }
    for try await change in changes { show(change) }
}

private func eventsOrJSON(_ api: API, _ prompt: Prompt) async throws {
    for try await delta in api.request(.chat(prompt)).events(of: Delta.self)
        .acceptingJSON()
    {
        show(delta)
    }
}

private func invalidLines(_ api: API) async throws {
    let changes = api.request(.watch).lines(of: Change.self) { error in
        print(error)
    }
    for try await change in changes { show(change) }
}

private func elements(_ api: API) async throws {
    for try await user in api.request(.export)
        .elements(of: User.self, at: "data.users")
    { show(user) }
}

private func pages(_ api: API) async throws {
    for try await issue in api.pages(.issues, by: .link).items(of: Issue.self) {
        show(issue)
    }
}

private func pagesOfEndpoint(_ api: API) async throws {
    for try await issue in api.items(Issues.all, by: .link) { show(issue) }
}

private func ownPaging(_ api: API, _ text: String) async throws {
    let paging = Paging.custom { response in
        try response.json()["after"].string.map { .search(text, after: $0) }
    }
    for try await page in api.pages(.search(text), by: paging) {
        show(page.response.text)
    }
}

extension Route {
    fileprivate static func search(_ text: String, after cursor: String? = nil) -> Route {
        Route(path: "/search", method: .post, params: ["text": text, "after": cursor])
    }
}

private func limits(_ api: API) async throws {
    let pages = api.pages(.issues, by: .number(items: "items")).limited(to: 10)
        .prefetching()
    for try await issue in pages.items(of: Issue.self, at: "items")
        .limited(to: 500)
    {
        show(issue)
    }
}

private func saved(_ api: API, _ saved: String?) async throws -> String? {
    var next = saved.flatMap(PageCursor.init(rawValue:))
    for try await page in api.pages(
        .issues, by: .cursor(at: "meta.next", as: "after"), from: next)
    {
        show(try page.object([Issue].self, at: "items"))
        next = page.next
    }
    return next?.rawValue
}

@MainActor private final class IssueList {
    private let api = API()
    private(set) var issues: [Issue] = []
    private var next: PageCursor?
    private var hasMore = true
    private var isLoading = false

    func loadMore() async throws {
        guard hasMore, !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        let pages = api.pages(.issues, by: .link, from: next).limited(to: 1)
        for try await page in pages {
            issues += try page.object([Issue].self)
            (next, hasMore) = (page.next, page.next != nil)
        }
    }
}

private func links(_ api: API) async throws {
    let response = try await api.request(.issues).response()
    let last = response.links.first { $0.isRelated(by: "last") }?.url
    print(last?.absoluteString ?? "one page")
}
