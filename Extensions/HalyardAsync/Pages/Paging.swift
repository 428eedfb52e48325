import HalyardFoundation
public import HalyardHTTP
import HalyardCodable

/// How an API divides a list into pages. See `HTTPProvider/pages(_:by:from:)`.
public struct Paging: Sendable {
    enum Kind: Sendable {
        case link(relation: String)
        case url(keyPath: String)
        case cursor(keyPath: String, parameter: String, while: String?)
        case number(parameter: String, first: Int, items: String, last: String?)
        case offset(parameter: String, items: String, total: String?)
    }

    let kind: Kind

    /// The URL of the next page is in a `Link` header field with the relation `next` (RFC 8288).
    public static let link = link(relation: "next")

    /// The URL of the next page is in a `Link` header field (RFC 8288).
    public static func link(relation: String) -> Paging { Paging(kind: .link(relation: relation)) }

    /// The URL of the next page is in the body. It may be relative. The last page has none, or `null`.
    ///
    /// - Parameter keyPath: The place of the URL, such as `links.next`.
    public static func url(at keyPath: String) -> Paging { Paging(kind: .url(keyPath: keyPath)) }

    /// The next page is requested with a cursor from the body. The last page has none, or `null`, or an empty one.
    ///
    /// Some APIs use the ID of the last item. A negative index counts from the end of an array:
    /// `.cursor(at: "data.-1.id", as: "starting_after", while: "has_more")`.
    ///
    /// - Parameters:
    ///   - keyPath: The place of the cursor in the body, such as `meta.next_cursor`: text or a number.
    ///   - hasMore: The place of a boolean in the body that is `false` on the last page. Defaults to none.
    public static func cursor(at keyPath: String, as parameter: String, while hasMore: String? = nil) -> Paging {
        Paging(kind: .cursor(keyPath: keyPath, parameter: parameter, while: hasMore))
    }

    /// The pages have numbers. The last page is the one before a page without items, or it is in the body.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter. Defaults to `page`.
    ///   - first: The number of the first page. Defaults to 1. A parameter of the route takes precedence.
    ///   - items: The place of the array of items in the body. Defaults to the whole body.
    ///   - last: The place of the number of the last page in the body, such as `meta.last_page`. Defaults to none.
    public static func number(
        as parameter: String = "page", first: Int = 1, items: String = "", last: String? = nil
    ) -> Paging {
        Paging(kind: .number(parameter: parameter, first: first, items: items, last: last))
    }

    /// The next page is requested with the number of items before it. The last page is the one before a page without
    /// items, or the total is in the body.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter. Defaults to `offset`. A parameter of the route is the first offset.
    ///   - items: The place of the array of items in the body. Defaults to the whole body.
    ///   - total: The place of the number of all items in the body, such as `meta.total`. Defaults to none.
    public static func offset(as parameter: String = "offset", items: String = "", total: String? = nil) -> Paging {
        Paging(kind: .offset(parameter: parameter, items: items, total: total))
    }
}

extension Paging {
    /// Returns the same paging, which counts items at a place if it has none of its own.
    package func countingItems(at keyPath: String) -> Paging {
        switch kind {
        case .number(let parameter, let first, "", let last):
            Paging(kind: .number(parameter: parameter, first: first, items: keyPath, last: last))
        case .offset(let parameter, "", let total):
            Paging(kind: .offset(parameter: parameter, items: keyPath, total: total))
        default: self
        }
    }
}

/// The place of a page. Save it to continue later, as text or with `Codable`.
///
/// It may contain an access token of the API, as its URLs and cursors may.
public struct PageCursor: Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable, Codable {
        case url(String)
        case cursor(String)
        case number(Int)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    /// Makes a cursor from its text.
    ///
    /// - Parameter text: The ``text`` of a cursor. Any other text gives `nil`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "url": place = .url(parts[1])
        case "cursor": place = .cursor(parts[1])
        case "number":
            guard let number = Int(parts[1]) else { return nil }
            place = .number(number)
        default: return nil
        }
    }

    /// The cursor as text.
    public var text: String {
        switch place {
        case .url(let url): "url:\(url)"
        case .cursor(let cursor): "cursor:\(cursor)"
        case .number(let number): "number:\(number)"
        }
    }

    /// Decodes the text of a cursor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = PageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is not a page cursor")
        }
        self = cursor
    }

    /// Encodes the cursor as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PageCursor: SafelyDescribed {
    /// The kind of place, without a URL or cursor, which may contain a secret.
    public var description: String {
        switch place {
        case .url: "PageCursor(a URL)"
        case .cursor: "PageCursor(a cursor)"
        case .number(let number): "PageCursor(\(number))"
        }
    }
}

/// One page of a list. See `HTTPProvider/pages(_:by:from:)`.
public struct Page: Sendable {
    /// The response.
    public let response: HTTPResponse
    /// The number of the page in the loop, from 1.
    public let number: Int
    /// The place of the next page. `nil` for the last page.
    public let next: PageCursor?

    let outcome: RequestOutcome

    /// Returns a value of the page, decoded from JSON with the mapper of the route or the provider.
    ///
    /// - Parameter keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    /// - Throws: ``HTTPError`` of kind `decoding` for a body that does not fit, `emptyResponse` for an empty one.
    public func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = ""
    ) throws(HTTPError) -> sending T {
        do { return try response.object(type, at: keyPath, by: outcome.codec) } catch { throw outcome.logged(error) }
    }
}
