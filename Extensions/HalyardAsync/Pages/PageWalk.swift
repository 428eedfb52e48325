import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// Finds the next page of a list, and makes the route that requests it. It has no side effects.
struct PageWalk {
    let paging: Paging
    /// The route of the first page.
    let first: Route

    /// Returns the route of a page. `cursor` is the place of the page. `nil` for the first page.
    func route(at cursor: PageCursor?) throws(HTTPError) -> Route {
        var route = first
        switch (paging.kind, cursor?.place) {
        case (_, nil): return route
        case (.link, .url(let url)), (.url, .url(let url)): return first.following(url)
        case (.cursor(_, let parameter, _), .cursor(let cursor)):
            route.set(cursor.parameterValue, for: parameter)
        case (.number(let parameter, _, _, _), .number(let number)),
            (.offset(let parameter, _, _), .number(let number)):
            route.set(number.parameterValue, for: parameter)
        default:
            throw HTTPError(
                .configuration("pages"), reason: "the saved cursor does not belong to this kind of paging",
                suggestion: "Use a cursor of a page that was read with the same paging")
        }
        return route
    }

    /// Returns the number after a page, whose own number may be that of a saved cursor.
    private static func sum(_ number: Int, _ count: Int) throws(HTTPError) -> Int {
        let (sum, overflow) = number.addingReportingOverflow(count)
        guard overflow else { return sum }
        throw HTTPError(
            .configuration("pages"), reason: "no page comes after the number \(number)",
            suggestion: "Use a cursor of a page that was read with the same paging")
    }

    /// Whether two pages with the same content mean that the server has ignored the place of the second one. A page
    /// that the server names itself may have any content.
    var canBeIgnored: Bool {
        switch paging.kind {
        case .number, .offset: true
        case .link, .url, .cursor: false
        }
    }

    /// Returns the place of the page after a response. `nil` if it is the last one. `cursor` is the place of its page.
    /// `nil` for the first page.
    func cursor(after response: HTTPResponse, at cursor: PageCursor?) throws(HTTPError) -> PageCursor? {
        switch paging.kind {
        case .link(let relation):
            return response.links.first { $0.isRelated(by: relation) }.map { PageCursor(.url($0.url.absoluteString)) }
        case .url(let keyPath):
            guard let reference = try response.json().value(at: keyPath)?.string, !reference.isEmpty else { return nil }
            return PageCursor(.url(response.resolved(reference)))
        case .cursor(let keyPath, _, let hasMore):
            let json = try response.json()
            if let hasMore, json.value(at: hasMore)?.bool != true { return nil }
            guard let next = json.value(at: keyPath), let text = next.string ?? next.number?.description,
                !text.isEmpty
            else { return nil }
            return PageCursor(.cursor(text))
        case .number(let parameter, let start, let items, let last):
            let json = try response.json()
            let number = cursor.flatMap(\.number) ?? first.integer(parameter) ?? start
            guard try json.count(at: items, response) > 0 else { return nil }
            if let last = last.flatMap({ json.value(at: $0)?.int }), number >= last { return nil }
            return try PageCursor(.number(Self.sum(number, 1)))
        case .offset(let parameter, let items, let total):
            let json = try response.json()
            let count = try json.count(at: items, response)
            if count == 0 { return nil }
            let next = try Self.sum(cursor.flatMap(\.number) ?? first.integer(parameter) ?? 0, count)
            if let total = total.flatMap({ json.value(at: $0)?.int }), next >= total { return nil }
            return PageCursor(.number(next))
        }
    }
}

extension PageCursor {
    fileprivate var number: Int? { if case .number(let number) = place { number } else { nil } }
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
        switch items.last(where: { $0.name == name })?.value.storage {
        case .integer(let number): number
        case .text(let text): Int(text)
        default: nil
        }
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
