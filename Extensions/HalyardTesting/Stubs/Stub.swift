import Halyard
import HalyardHTTP

/// A response to the requests with a method, a path and further conditions.
struct Stub: Sendable {
    /// The response to a request.
    enum Reply: Sendable {
        /// One response after the other. The last one is repeated.
        case sequence([StubResponse])
        case closure(@Sendable (RecordedRequest) throws -> StubResponse)

        /// Returns the next response. It calls the user's closure, and must not be called with a lock.
        func response(to request: RecordedRequest) throws -> StubResponse {
            switch self {
            case .sequence(let responses): try (responses.first ?? .status(500)).written()
            case .closure(let answer): try answer(request).written()
            }
        }
    }

    let method: HTTPMethod
    let pattern: PathPattern
    let conditions: [StubCondition]
    let count: StubCount
    var reply: Reply
}

extension Stub: CustomStringConvertible {
    /// The method, the pattern and the conditions, such as `GET /search where the query's page is "2"`.
    var description: String {
        let details = conditions.map(\.description).joined(separator: " and ")
        return "\(method) \(pattern.text)" + (details.isEmpty ? "" : " where \(details)")
    }

    /// The method, the pattern and the conditions with their secrets. Stubs with equal ones replace each other.
    var identity: [String] { [name] + conditions.map(\.identity) }

    /// The method and the pattern, as ``StubHost/verify(order:)`` compares them.
    var name: String { "\(method) \(pattern.text)" }
}

/// The number of requests that a stub expects. ``StubHost/verify(order:)`` checks it; a stub answers any number of
/// requests.
///
/// ```swift
/// stub.on(.post, "/login", times: 1, .json(session))
/// stub.on(.get, "/avatar", times: .any, .status(404))
/// ```
public struct StubCount: Sendable, ExpressibleByIntegerLiteral {
    private let range: ClosedRange<Int>

    private init(_ range: ClosedRange<Int>) { self.range = range }

    /// Creates an exact number. Use 0 for a request that must not be sent.
    public init(integerLiteral value: Int) { self.init(value...max(value, 0)) }

    /// One request or more.
    public static let atLeastOnce = StubCount(1...Int.max)
    /// Any number of requests, or none.
    public static let any = StubCount(0...Int.max)

    /// Returns a range of request counts.
    public static func between(_ counts: ClosedRange<Int>) -> StubCount { StubCount(counts) }

    var isAtLeastOnce: Bool { range == 1...Int.max }

    /// Returns what is wrong with a number of requests, or `nil`.
    func problem(with count: Int) -> String? {
        guard !range.contains(count) else { return nil }
        guard !isAtLeastOnce else { return "was not requested" }
        let times = count == 1 ? "once" : "\(count) times"
        let expected = range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range)"
        return count == 0 ? "was not requested, and should be: \(expected)" : "was requested \(times), not \(expected)"
    }
}

/// A pattern of a stub: `/user/{id}`, `/files/*`, `/search?q=x`.
///
/// `*` as the last segment matches any rest. A pattern without a query matches every query.
struct PathPattern: Sendable {
    /// The pattern as it was written, with a leading slash.
    let text: String
    private let template: PathTemplate
    private let isOpen: Bool
    private let query: Substring?

    init(_ pattern: String) {
        text = pattern.hasPrefix("/") ? pattern : "/" + pattern
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? parts[1] : nil
        isOpen = parts[0].hasSuffix("/*")
        template = PathTemplate(String(isOpen ? parts[0].dropLast() : parts[0]))
    }

    /// Makes a pattern that matches one path, percent-encoded, with any query.
    init(literal path: String) {
        text = path.hasPrefix("/") ? path : "/" + path
        (template, isOpen, query) = (PathTemplate(literal: text), false, nil)
    }

    /// Returns the values of the placeholders, percent-decoded. `nil` if the pattern does not match.
    func match(_ path: String, query: String?) -> [String: String]? {
        guard self.query.map({ $0 == query ?? "" }) ?? true else { return nil }
        return match(path)
    }

    /// Returns whether the path matches, with any query.
    func matchesPath(_ path: String) -> Bool { match(path) != nil }

    private func match(_ path: String) -> [String: String]? {
        let path = path.hasPrefix("/") ? path : "/" + path
        guard isOpen else { return template.match(path) }
        // The text of the star begins after as many slashes as the pattern has.
        let count = template.text.utf8.count { $0 == UInt8(ascii: "/") }
        let parts = path.split(separator: "/", maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count > count else { return nil }
        return template.match(path.prefix(upTo: parts[count].startIndex))
    }

    /// Returns whether this pattern takes precedence: literals over placeholders, placeholders over `*`, a query over
    /// none.
    func isMoreSpecific(than other: PathPattern) -> Bool { ranks.lexicographicallyPrecedes(other.ranks) }

    private var ranks: [Int] {
        let segments = template.text.split(separator: "/", omittingEmptySubsequences: false)
        let hasPlaceholders = !template.placeholders.isEmpty
        var ranks = segments.dropFirst().map { hasPlaceholders && $0.contains("{") ? 1 : 0 }
        // The text of the star is an empty segment of the template.
        if isOpen { ranks[ranks.count - 1] = 2 }
        return ranks + [query == nil ? 1 : 0]
    }
}
