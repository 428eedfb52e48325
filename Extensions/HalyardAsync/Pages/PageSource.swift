import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// A list, and what the modifiers of its pages have set.
struct PageList: Sendable {
    let provider: any HTTPProvider
    let paging: Paging
    /// The route of the first page.
    let first: Route
    let start: PageCursor?
    /// The maximum number of pages.
    var limit = Int.max
    var prefetches = false

    /// Returns the route of a page. `cursor` is the place of the page. `nil` for the first page.
    func route(at cursor: PageCursor?) throws(HTTPError) -> Route {
        guard let cursor else { return first }
        var route = first
        switch (cursor.place, paging.parameter) {
        case (.url(let url), nil): return first.following(url)
        case (.route(let next), nil): return next.route
        case (.cursor(let text), let name?) where paging.items == nil: route.set(text.parameterValue, for: name)
        case (.number(let number), let name?) where paging.items != nil: route.set(number.parameterValue, for: name)
        default:
            throw HTTPError(
                .configuration("pages"), reason: "the saved cursor does not belong to this kind of paging",
                suggestion: "Use a cursor of a page that was read with the same paging")
        }
        return route
    }

    /// Returns the place of the page after a response. `nil` if it is the last one.
    func cursor(after response: HTTPResponse, at cursor: PageCursor?) throws -> PageCursor? {
        let number =
            if case .number(let number)? = cursor?.place { number } else { paging.parameter.flatMap(first.integer) }
        let page = Paging.Current(response: response, number: number, items: paging.items ?? "")
        return try paging.next(page).map(PageCursor.init)
    }
}

/// Requests the pages of a list.
struct PageSource: ElementSource {
    private let pages: PageList
    private var count = 0
    /// The places that were read. A page with a URL is there with its link, and with the URL that was requested.
    private var visited: Set<PageCursor> = []
    private var lastContent: Data?
    private var phase: Phase
    /// The page that was read last, until the loop takes it.
    private var page: Page?

    private enum Phase {
        case next(PageCursor?)
        case requested(PrefetchedPage, PageCursor?)
        /// The last page has led to an error.
        case failed(any Error)
        case done
    }

    init(_ pages: PageList) {
        self.pages = pages
        phase = .next(pages.start)
        if let start = pages.start { visited.insert(start) }
    }

    mutating func next() -> Page? {
        guard let page = takePage() else { return nil }
        prefetch()
        return page
    }

    /// Returns the page that was read, and does not request the next one.
    mutating func takePage() -> Page? { page.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        let (step, limit) = (phase, pages.limit)
        // After an error there are no more pages.
        phase = .done
        guard count < limit else { return false }
        let (outcome, cursor): (RequestOutcome, PageCursor?)
        switch step {
        case .done: return false
        case .failed(let error): throw error
        case .next(let place):
            let request = pages.provider.request(try pages.route(at: place))
            (outcome, cursor) = (await Self.outcome(request), place)
        case .requested(let page, let place): (outcome, cursor) = (await page.outcome(), place)
        }
        let response = try outcome.get()
        try check(response, at: cursor, outcome)
        count += 1
        // The page is delivered, and an error of its paging value comes after it.
        var next: PageCursor?
        do {
            next = try place(after: response, at: cursor)
            phase = next.map { .next($0) } ?? .done
        } catch {
            phase = .failed((error as? HTTPError).map(outcome.annotated) ?? error)
            next = nil
        }
        page = Page(response: response, number: count, next: next, outcome: outcome)
        return true
    }

    /// Checks that a page is not the same as the one before it.
    private mutating func check(_ response: HTTPResponse, at cursor: PageCursor?, _ outcome: RequestOutcome) throws {
        // A page with a URL or a cursor of the server's may have any content. Otherwise it has ignored the place.
        let isOwn = if case .route? = cursor?.place { true } else { cursor == nil }
        guard pages.paging.items != nil || isOwn else { return }
        let content = response.data
        guard count == 0 || lastContent != content || content.isEmpty else {
            throw outcome.annotated(
                HTTPError(
                    .invalidResponse, reason: "page \(count + 1) has the same content as page \(count)",
                    suggestion: "Check the name of the parameter: the server may have ignored it",
                    response: response))
        }
        lastContent = content
    }

    /// Returns the place of the page after a response. `nil` if it is the last one. Throws ``HTTPError`` if there is no
    /// such place, or if it was read before.
    private mutating func place(after response: HTTPResponse, at cursor: PageCursor?) throws -> PageCursor? {
        if cursor == nil { visited.insert(PageCursor(.url(response.url.absoluteString))) }
        guard let next = try pages.cursor(after: response, at: cursor) else { return nil }
        var isNew = visited.insert(next).inserted
        if case .url = next.place {
            // The provider adds parameters to the link.
            let request = try RequestBuilder.request(for: pages.route(at: next), of: pages.provider)
            let place = PageCursor(.url(request.url.absoluteString))
            isNew = isNew && (visited.insert(place).inserted || place == next)
        }
        guard isNew else {
            throw HTTPError(
                .invalidResponse, reason: "page \(count) leads to a page that was read before",
                suggestion: "Check the cursor or the link of the page. In a test, add a stub for each page",
                response: response)
        }
        return next
    }

    /// Requests the page after the last one, by choice.
    mutating func prefetch() {
        guard pages.prefetches, count < pages.limit, case .next(let place) = phase else { return }
        do {
            phase = .requested(PrefetchedPage(pages.provider.request(try pages.route(at: place))), place)
        } catch { phase = .failed(error) }
    }

    /// Waits for a response. This leaves the caller's actor.
    private static func outcome(_ request: consuming Request) async -> RequestOutcome { await request.outcome() }
}

/// A request of a page that may never be read. Releasing it cancels the request.
private final class PrefetchedPage: Sendable {
    private let request: Request

    init(_ request: Request) { self.request = request.start() }
    deinit { request.cancel() }

    /// Waits for the response. The request lives until then, although the caller has no other reference to it.
    func outcome() async -> RequestOutcome {
        let outcome = await request.outcome()
        return withExtendedLifetime(self) { outcome }
    }
}

extension Route {
    /// Sets a parameter where it is: among those of an endpoint that go to the query, or else among the route's own.
    fileprivate mutating func set(_ value: ParameterValue, for name: String) {
        if endpointOptions?.query.items.contains(where: { $0.name == name }) == true {
            endpointOptions?.query.set(value, for: name)
        } else {
            params.set(value, for: name)
        }
    }

    /// The last value of a parameter, if it is an integer.
    fileprivate func integer(_ name: String) -> Int? {
        endpointOptions?.query.integer(name) ?? params.integer(name)
    }
}

extension Parameters {
    /// The last value of a name, if it is an integer.
    fileprivate func integer(_ name: String) -> Int? {
        items.last { $0.name == name }?.value.text.flatMap { Int($0) }
    }
}
