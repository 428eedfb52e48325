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
    /// Each request has the options of the route, such as its retries, which wait for a server that limits the rate. A URL
    /// of the next page at another origin is followed without credentials and without the secrets of the route; one that
    /// leads from https to http is an ``HTTPError`` of kind `insecureRedirect`. A page that leads to an earlier one is an
    /// error of kind `invalidResponse`.
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
    fileprivate let provider: any HTTPProvider
    fileprivate let walk: PageWalk
    fileprivate let start: PageCursor?
    fileprivate var limit = Int.max
    fileprivate var prefetches = false

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

    /// Iterates over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ResponsePages
        private var count = 0
        private var visited: Set<PageCursor> = []
        private var phase: Phase

        private enum Phase {
            /// The next page, and the response before it.
            case next(PageCursor?, HTTPResponse?)
            case requested(PrefetchedPage, PageCursor?)
            case done
        }

        init(_ pages: ResponsePages) {
            self.pages = pages
            phase = .next(pages.start, nil)
            if let start = pages.start { visited.insert(start) }
        }

        /// Returns the next page; `nil` after the last.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Page? { try await advance() }

        /// Returns the next page.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Page? {
            try await advance()
        }

        nonisolated(nonsending) mutating func advance() async throws -> Page? {
            let (step, limit) = (phase, pages.limit)
            // After an error there are no more pages.
            phase = .done
            guard count < limit else { return nil }
            let (outcome, cursor): (RequestOutcome, PageCursor?)
            switch step {
            case .done: return nil
            case .next(let place, let previous):
                (outcome, cursor) = (await Self.outcome(try request(place, after: previous)), place)
            case .requested(let page, let place): (outcome, cursor) = (await Self.outcome(page.request), place)
            }
            let response = try outcome.get()
            count += 1
            if cursor == nil { visited.insert(PageCursor(.url(response.url.absoluteString))) }
            let next: PageCursor?
            do { next = try pages.walk.cursor(after: response, at: cursor) } catch { throw outcome.annotated(error) }
            if let next {
                guard visited.insert(next).inserted else {
                    throw outcome.annotated(
                        HTTPError(
                            .invalidResponse, reason: "page \(count) leads to a page that was read before",
                            response: response))
                }
                phase = .next(next, response)
                if pages.prefetches, count < limit {
                    phase = .requested(PrefetchedPage(try request(next, after: response)), next)
                }
            }
            return Page(response: response, number: count, next: next, outcome: outcome)
        }

        /// Waits for a response. This leaves the caller's actor.
        private static func outcome(_ request: consuming Request) async -> RequestOutcome { await request.outcome() }

        private func request(_ place: PageCursor?, after previous: HTTPResponse?) throws -> Request {
            pages.provider.request(try pages.walk.route(at: place, after: previous))
        }
    }
}

/// A request of a page that may never be read. Releasing it cancels the request.
private final class PrefetchedPage: Sendable {
    let request: Request

    init(_ request: Request) { self.request = request.start() }
    deinit { request.cancel() }
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

    /// Returns the sequence of at most a number of items. It ends without an error, and requests no page that it does not
    /// need.
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
                guard let page = try await pages.advance() else { return nil }
                items = try page.object([Element].self, at: keyPath)[...]
            }
            rest -= 1
            return items.popFirst()
        }
    }
}
