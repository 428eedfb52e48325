import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension HTTPProvider {
    /// Returns the pages of a list, which are requested one after the other.
    ///
    /// ```swift
    /// for try await issue in api.pages(.issues, by: .link).items(of: Issue.self) { show(issue) }
    /// for try await page in api.pages(.orders, by: .cursor(at: "next", as: "after")) { saved = page.next }
    /// ```
    ///
    /// Each request uses the options of the route, such as its retries, which wait if the server limits the request
    /// rate. A page URL whose origin differs from the first page's is followed without credentials and secrets. One
    /// that leads from https to http fails with an ``HTTPError`` of kind `insecureRedirect`. A page that leads to an
    /// earlier one, or a numbered page with the same bytes as the previous one, is an error of kind `invalidResponse`.
    /// An error in a page's link is thrown after the page is delivered.
    ///
    /// - Parameters:
    ///   - paging: How the list is divided into pages.
    ///   - cursor: Where to begin, saved from ``Page/next``. Defaults to the first page.
    public func pages(_ route: Route, by paging: Paging, from cursor: PageCursor? = nil) -> ResponsePages {
        ResponsePages(list: PageList(provider: self, paging: paging, first: route, start: cursor))
    }
}

/// The pages of a list. See `HTTPProvider/pages(_:by:from:)`.
///
/// ```swift
/// let users = api.pages(.me, by: .link).limited(to: 10).prefetching().items(of: User.self)
/// for try await user in users { show(user) }
/// ```
public struct ResponsePages: ResponseStream {
    fileprivate var list: PageList

    /// Returns a sequence of at most the given number of pages. It ends without an error.
    public func limited(to pages: Int) -> ResponsePages {
        var copy = self
        copy.list.limit = pages
        return copy
    }

    /// Returns a sequence that requests the next page while the loop works on the current one. Leaving the loop cancels
    /// that request.
    public func prefetching() -> ResponsePages {
        var copy = self
        copy.list.prefetches = true
        return copy
    }

    /// Returns the items of all pages. A page that does not fit is an ``HTTPError`` of kind `decoding`.
    ///
    /// - Parameter keyPath: The path of the array of items in each page. Defaults to the whole body.
    public func items<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponseSequence<T> {
        ResponseSequence { PageItemSource(pages: PageSource(list), keyPath: keyPath, rest: $0) }
    }

    /// Starts a loop over the pages.
    public func makeAsyncIterator() -> ResponseSequence<Page>.Iterator { .init(PageSource(list)) }
}

private struct PageItemSource<Element: Decodable & Sendable>: ElementSource {
    var pages: PageSource
    let keyPath: String
    /// The number of items that the loop takes of later pages.
    var rest: Int
    var items: ArraySlice<Element> = []

    mutating func next() -> Element? { items.popFirst() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        guard try await pages.read(), let page = pages.takePage() else { return false }
        items = try page.object([Element].self, at: keyPath)[...]
        rest -= items.count
        if rest > 0 { pages.prefetch() }
        return true
    }
}
