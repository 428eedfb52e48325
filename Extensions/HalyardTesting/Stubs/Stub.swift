public import Halyard

/// A response to the requests with a method, a path and further conditions. ``StubHost/on(_:_:where:times:_:_:)`` makes
/// and adds one in one step.
///
/// ```swift
/// let search = Stub(.get, "/search", where: [.query("page", "2")], times: 1) { _ in .json(text: "[]") }
/// stub.add(search)
/// ```
public struct Stub: Sendable {
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

    /// Makes a stub with responses, one for each request. The last one is repeated.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the path. See ``StubHost/on(_:_:where:times:_:_:)``.
    ///   - count: The number of requests that `verify()` expects. Defaults to at least one.
    ///   - responses: The responses. Without any, the response is a 500.
    public init(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, responses: [StubResponse]
    ) {
        self.init(method, PathPattern(pattern), conditions, count, .sequence(responses))
    }

    /// Makes a stub with a closure.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the path. See ``StubHost/on(_:_:where:times:_:_:)``.
    ///   - count: The number of requests that `verify()` expects. Defaults to at least one.
    ///   - answer: Returns the response to a request. See ``StubHost/on(_:_:where:times:_:)``.
    public init(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, answer: @escaping @Sendable (RecordedRequest) throws -> StubResponse
    ) {
        self.init(method, PathPattern(pattern), conditions, count, .closure(answer))
    }

    init(
        _ method: HTTPMethod, _ pattern: PathPattern, _ conditions: [StubCondition], _ count: StubCount, _ reply: Reply
    ) {
        self.method = method
        self.pattern = pattern
        self.conditions = conditions
        self.count = count
        self.reply = reply
    }
}

extension Stub: CustomStringConvertible {
    /// The method, the pattern and the conditions, such as `GET /search where the query's page is "2"`.
    public var description: String {
        let details = conditions.map(\.description).joined(separator: " and ")
        return "\(method) \(pattern.text)" + (details.isEmpty ? "" : " where \(details)")
    }

    /// The method, the pattern and the conditions with their secrets. Stubs with equal ones replace each other.
    var identity: [String] { [name] + conditions.map(\.identity) }

    /// The method and the pattern, as ``StubHost/verify(order:)`` compares them.
    var name: String { "\(method) \(pattern.text)" }
}

/// The number of requests that a stub expects. It is checked by ``StubHost/verify(order:)``; requests are answered in
/// any number.
///
/// ```swift
/// stub.on(.post, "/login", times: 1, .json(session))
/// stub.on(.get, "/avatar", times: .any, .status(404))
/// ```
public struct StubCount: Sendable, Hashable, ExpressibleByIntegerLiteral {
    private let range: ClosedRange<Int>

    private init(_ range: ClosedRange<Int>) { self.range = range }

    /// An exact number. 0 for a request that must not be sent.
    public init(integerLiteral value: Int) { self.init(value...max(value, 0)) }

    /// One request or more.
    public static let atLeastOnce = StubCount(1...Int.max)
    /// Any number of requests, or none.
    public static let any = StubCount(0...Int.max)

    /// An exact number of requests.
    ///
    /// - Parameter count: The number. Less than 0 counts as 0.
    public static func exactly(_ count: Int) -> StubCount { StubCount(max(count, 0)...max(count, 0)) }

    /// A number of requests within bounds.
    ///
    /// - Parameter counts: The lowest and the highest number.
    public static func between(_ counts: ClosedRange<Int>) -> StubCount { StubCount(counts) }

    /// Returns what is wrong with a number of requests, or `nil`.
    func problem(with count: Int) -> String? {
        guard !range.contains(count) else { return nil }
        guard self != .atLeastOnce else { return "was not requested" }
        let times = count == 1 ? "once" : "\(count) times"
        let expected = range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range)"
        return count == 0 ? "was not requested, and should be: \(expected)" : "was requested \(times), not \(expected)"
    }
}
