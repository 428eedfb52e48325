import HalyardFoundation
public import HalyardHTTP
import HalyardCodable

/// How an API divides a list into pages. See `HTTPProvider/pages(_:by:from:)`.
///
/// ```swift
/// let byLink = api.pages(.me, by: .link)
/// let byCursor = api.pages(.me, by: .cursor(at: "meta.next", as: "after"))
/// let byNumber = api.pages(.me, by: .number(items: "items", last: "meta.last_page"))
/// ```
public struct Paging: Sendable {
    /// A page that was read.
    struct Current {
        let response: HTTPResponse
        /// The number of the page, or of the items before it, if it is known.
        let number: Int?
        /// The place of the items.
        let items: String
    }

    /// The parameter of a page's place. `nil` if the place is a URL.
    private(set) var parameter: String?
    /// The place of the items, which are counted. `nil` if the server names the pages itself.
    private(set) var items: String?
    /// Returns the place of the next page. `nil` after the last one.
    let next: @Sendable (Current) throws -> PageCursor.Place?

    /// Paging by the URL of the next page in a `Link` header with the relation `next` (RFC 8288).
    public static let link = link(relation: "next")

    /// Returns paging by the URL of the next page in a `Link` header (RFC 8288).
    public static func link(relation: String) -> Paging {
        Paging { page in
            page.response.links.first { $0.isRelated(by: relation) }.map { .url($0.url.absoluteString) }
        }
    }

    /// Returns paging by a URL in the body, which may be relative. On the last page, the URL is missing or `null`.
    ///
    /// - Parameter keyPath: The path of the URL in the body, such as `links.next`.
    public static func url(at keyPath: String) -> Paging {
        Paging { page in
            let reference = try page.response.json().value(at: keyPath)?.string ?? ""
            return reference.isEmpty ? nil : .url(page.response.resolved(reference))
        }
    }

    /// Returns paging by a cursor in the body. On the last page, the cursor is missing, `null` or empty.
    ///
    /// Some APIs use the ID of the last item as the cursor. A negative index counts from the end of an array:
    /// `.cursor(at: "data.-1.id", as: "starting_after", while: "has_more")`.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the cursor, text or a number, in the body, such as `meta.next_cursor`.
    ///   - hasMore: The path of a Boolean in the body that is `true` on every page but the last. Defaults to none.
    public static func cursor(at keyPath: String, as parameter: String, while hasMore: String? = nil) -> Paging {
        Paging(parameter: parameter) { page in
            let json = try page.response.json()
            if let hasMore, json.value(at: hasMore)?.bool != true { return nil }
            let next = json.value(at: keyPath)
            let text = next?.string ?? next?.number?.description ?? ""
            return text.isEmpty ? nil : .cursor(text)
        }
    }

    /// Returns paging by page number. The list ends at a page without items, or at the last page if the body names it.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter. Defaults to `page`.
    ///   - first: The number of the first page. Defaults to 1. A parameter of the route takes precedence.
    ///   - items: The path of the array of items in the body. Defaults to the whole body.
    ///   - last: The path of the number of the last page in the body, such as `meta.last_page`. Defaults to none.
    public static func number(
        as parameter: String = "page", first: Int = 1, items: String = "", last: String? = nil
    ) -> Paging {
        Paging(parameter: parameter, items: items) { page in
            let (json, number) = (try page.response.json(), page.number ?? first)
            guard try json.count(at: page.items, page.response) > 0 else { return nil }
            if let last = last.flatMap({ json.value(at: $0)?.int }), number >= last { return nil }
            return .number(try sum(number, 1))
        }
    }

    /// Returns paging that requests the next page with the number of items before it. The list ends at a page without
    /// items, or when the total is reached if the body has it.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter. Defaults to `offset`. A parameter of the route sets the first offset.
    ///   - items: The path of the array of items in the body. Defaults to the whole body.
    ///   - total: The path of the total number of items in the body, such as `meta.total`. Defaults to none.
    public static func offset(as parameter: String = "offset", items: String = "", total: String? = nil) -> Paging {
        Paging(parameter: parameter, items: items) { page in
            let json = try page.response.json()
            let count = try json.count(at: page.items, page.response)
            if count == 0 { return nil }
            let next = try sum(page.number ?? 0, count)
            if let total = total.flatMap({ json.value(at: $0)?.int }), next >= total { return nil }
            return .number(next)
        }
    }

    /// Returns paging that requests the next page with a route that a closure makes from the previous response: for
    /// XML, for a cursor in the body of a POST, or for anything else. `nil` ends the list.
    ///
    /// ```swift
    /// let search = Paging.custom { response in
    ///     let cursor = try response.json()["cursor"].string
    ///     return cursor.map { Route.search("halyard", after: $0) }
    /// }
    /// ```
    ///
    /// The route may set anything, and its own options apply. An error of the closure ends the list, after the page. A
    /// ``PageCursor`` of such a page is valid only while the program runs, because its text cannot be read again.
    public static func custom(_ next: @escaping @Sendable (HTTPResponse) throws -> Route?) -> Paging {
        Paging { page in try next(page.response).map { .route(NextRoute($0)) } }
    }

    /// Returns the same paging, which counts items at a place if it has none of its own.
    package func countingItems(at keyPath: String) -> Paging {
        var copy = self
        if items == "" { copy.items = keyPath }
        return copy
    }

    private init(
        parameter: String? = nil, items: String? = nil,
        _ next: @escaping @Sendable (Current) throws -> PageCursor.Place?
    ) {
        (self.parameter, self.items, self.next) = (parameter, items, next)
    }

    /// Returns the number after a page, whose own number may be that of a saved cursor.
    private static func sum(_ number: Int, _ count: Int) throws(HTTPError) -> Int {
        let (sum, overflow) = number.addingReportingOverflow(count)
        guard overflow else { return sum }
        throw HTTPError(
            .configuration("pages"), reason: "no page comes after the number \(number)",
            suggestion: "Use a cursor of a page that was read with the same paging")
    }
}

extension JSON {
    /// Returns the value at a path. `nil` if there is none, or `null`.
    fileprivate func value(at keyPath: String) -> JSON? {
        guard let value = try? JSONPath(keyPath).value(in: self), !value.isNull else { return nil }
        return value
    }

    /// Returns the number of elements of an array.
    fileprivate func count(at keyPath: String, _ response: HTTPResponse) throws(HTTPError) -> Int {
        guard let array = value(at: keyPath)?.array else {
            let place = keyPath.isEmpty ? "the body" : keyPath.quoted
            throw HTTPError(
                .decoding, reason: "\(place) is not an array, so that the page has no items to count",
                suggestion: "Set the items: of the Paging to the place of the array", response: response)
        }
        return array.count
    }
}

/// The place of a page in a list. To continue later, save it as text with its ``rawValue``, or with `Codable`.
///
/// ```swift
/// for try await page in api.pages(.me, by: .link, from: saved.flatMap(PageCursor.init(rawValue:))) {
///     saved = page.next?.rawValue
/// }
/// ```
///
/// It may contain an access token of the API, because URLs and cursors may contain one.
public struct PageCursor: RawRepresentable, Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable {
        case url(String)
        case cursor(String)
        case number(Int)
        case route(NextRoute)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    // The defaults of RawRepresentable would compare the text.

    /// Returns whether two cursors refer to the same place.
    public static func == (left: PageCursor, right: PageCursor) -> Bool { left.place == right.place }

    /// Hashes the place.
    public func hash(into hasher: inout Hasher) { hasher.combine(place) }

    /// Creates a cursor from its text, or `nil` from any other text.
    public init?(rawValue text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.last) {
        case ("url"?, let url?) where parts.count == 2: place = .url(url)
        case ("cursor"?, let cursor?) where parts.count == 2: place = .cursor(cursor)
        case ("number"?, let digits?):
            guard let number = Int(digits) else { return nil }
            place = .number(number)
        default: return nil
        }
    }

    /// The cursor as text. You cannot restore a cursor of ``Paging/custom(_:)`` from it.
    public var rawValue: String {
        switch place {
        case .url(let url): "url:\(url)"
        case .cursor(let cursor): "cursor:\(cursor)"
        case .number(let number): "number:\(number)"
        case .route: "route:"
        }
    }
}

/// The route of a page that a closure has made. Two are equal if they are the same.
final class NextRoute: Sendable, Hashable {
    let route: Route

    init(_ route: Route) { self.route = route }

    static func == (left: NextRoute, right: NextRoute) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PageCursor: SafelyDescribed {
    /// The kind of place, without the URL or cursor, which may contain a secret.
    public var description: String {
        switch place {
        case .url: "PageCursor(a URL)"
        case .cursor: "PageCursor(a cursor)"
        case .number(let number): "PageCursor(\(number))"
        case .route: "PageCursor(a route)"
        }
    }
}

/// One page of a list. See `HTTPProvider/pages(_:by:from:)`.
public struct Page: Sendable {
    /// The response.
    public let response: HTTPResponse
    /// The number of the page in the loop, counted from 1.
    public let number: Int
    /// The place of the next page, or `nil` if this is the last one.
    public let next: PageCursor?

    let outcome: RequestOutcome

    /// Decodes a value of the page from JSON with the mapper of the route or the provider.
    ///
    /// - Parameter keyPath: The path of the value in the JSON, separated by dots. Defaults to the whole JSON.
    /// - Throws: ``HTTPError`` of kind `decoding` if the body does not fit, or `emptyResponse` if it is empty.
    public func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = ""
    ) throws(HTTPError) -> sending T {
        do { return try response.object(type, at: keyPath, by: outcome.codec) } catch { throw outcome.logged(error) }
    }
}
