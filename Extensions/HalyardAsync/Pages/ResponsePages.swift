import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension HTTPProvider {
    /// The pages of a list, one request after the other.
    ///
    /// ```swift
    /// for try await issue in api.pages(.issues, by: .link).items(of: Issue.self) { show(issue) }
    /// for try await page in api.pages(.orders, by: .cursor(at: "next", as: "after")) { saved = page.next }
    /// ```
    ///
    /// Each request has the options of the route, such as its retries, which wait for a server that limits the rate. A
    /// URL of a page at another origin than that of the first page is followed without credentials and secrets. One
    /// that leads from https to http is an ``HTTPError`` of kind `insecureRedirect`. A page that leads to an earlier
    /// one, and a numbered page with the same bytes as the one before it, is an error of kind `invalidResponse`. An
    /// error of a page's link is thrown after the page.
    ///
    /// - Parameters:
    ///   - route: The route of the first page.
    ///   - paging: How the list is divided.
    ///   - cursor: The place to begin, saved from ``Page/next``. Defaults to the first page.
    /// - Returns: The pages.
    public func pages(_ route: Route, by paging: Paging, from cursor: PageCursor? = nil) -> ResponsePages {
        ResponsePages(provider: self, walk: PageWalk(paging: paging, first: route), start: cursor)
    }
}

/// The pages of a list. See `HTTPProvider/pages(_:by:from:)`.
public struct ResponsePages: ResponseStream {
    let provider: any HTTPProvider
    let walk: PageWalk
    let start: PageCursor?
    private(set) var limit = Int.max
    private(set) var prefetches = false

    init(provider: any HTTPProvider, walk: PageWalk, start: PageCursor?) {
        self.provider = provider
        self.walk = walk
        self.start = start
    }

    /// Returns the sequence of at most a number of pages. It ends without an error.
    ///
    /// - Parameter pages: The maximum number of pages.
    /// - Returns: The sequence.
    public func limited(to pages: Int) -> ResponsePages {
        var copy = self
        copy.limit = pages
        return copy
    }

    /// Returns a sequence that requests the next page while the loop works on the present one. Leaving the loop cancels
    /// that request.
    ///
    /// - Returns: The sequence.
    public func prefetching() -> ResponsePages {
        var copy = self
        copy.prefetches = true
        return copy
    }

    /// Returns the items of all pages.
    ///
    /// - Parameters:
    ///   - type: The type of an item. Defaults to the type of the context.
    ///   - keyPath: The place of the array of items in each page. Defaults to the whole body.
    /// - Returns: The items. A page that does not fit is an ``HTTPError`` of kind `decoding`.
    public func items<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponsePageItems<T> {
        ResponsePageItems(pages: self, keyPath: keyPath)
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// The items of all pages of a list. See ``ResponsePages/items(of:at:)``.
public struct ResponsePageItems<Element: Decodable & Sendable>: ResponseStream {
    fileprivate let pages: ResponsePages
    fileprivate let keyPath: String
    fileprivate var limit = Int.max

    init(pages: ResponsePages, keyPath: String) {
        self.pages = pages
        self.keyPath = keyPath
    }

    /// Returns the sequence of at most a number of items. It ends without an error, and requests no page that it does
    /// not need.
    ///
    /// - Parameter items: The maximum number of items.
    /// - Returns: The sequence.
    public func limited(to items: Int) -> ResponsePageItems {
        var copy = self
        copy.limit = items
        return copy
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the items.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: ResponsePages.Iterator
        private let keyPath: String
        private var rest: Int
        private var items: ArraySlice<Element> = []

        init(_ items: ResponsePageItems) {
            pages = items.pages.makeAsyncIterator()
            (keyPath, rest) = (items.keyPath, items.limit)
        }

        /// Returns the next item; `nil` after the last.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next item. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        private nonisolated(nonsending) mutating func advance() async throws -> Element? {
            guard rest > 0 else { return nil }
            while items.isEmpty {
                guard let page = try await pages.advanceWithoutPrefetching() else { return nil }
                items = try page.object([Element].self, at: keyPath)[...]
                if items.count < rest { pages.prefetch() }
            }
            rest -= 1
            return items.popFirst()
        }
    }
}
