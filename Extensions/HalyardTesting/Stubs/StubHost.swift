public import Halyard
import HalyardFoundation

/// What has stubs: a ``StubTransport`` or a ``LoopbackServer``.
public protocol StubHost: AnyObject, Sendable {
    /// Adds a stub. It replaces a stub with the same method, pattern and conditions.
    func add(_ stub: Stub)

    /// The requests so far, in order.
    var requests: [RecordedRequest] { get }

    /// The requests so far, compared with the stubs.
    var verification: StubVerification { get }
}

extension StubHost {
    /// Adds a stub with responses, one for each request. The last one is repeated. It replaces a stub with the same
    /// method, pattern and conditions.
    ///
    /// ```swift
    /// stub.on(.get, "/user/{id}", .json(user))
    ///     .on(.get, "/search", where: [.query("page", "2")], times: 1, .json(text: "[]"))
    /// ```
    ///
    /// - In a pattern, `{name}` matches one segment of the path. ``RecordedRequest/pathParameters`` has its value.
    /// - `*` as the last segment matches any rest.
    /// - Everything else is compared in percent-encoded form.
    /// - A pattern with a query matches only that query.
    /// - Of several matching patterns the most specific one is used: `/user/me` before `/user/{id}` before `/user/*`.
    ///   Of the same pattern, the stub with most conditions is used.
    ///
    /// - Parameter count: The number of requests that ``verify(order:)`` expects. Defaults to at least one.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ response: MockResponse, _ more: MockResponse...
    ) -> Self {
        add(Stub(method, pattern, where: conditions, times: count, responses: [response] + more))
        return self
    }

    /// Adds a stub with a closure. It replaces a stub with the same method, pattern and conditions.
    ///
    /// - Parameters:
    ///   - pattern: The pattern. See ``on(_:_:where:times:_:_:)``.
    ///   - count: The number of requests that ``verify(order:)`` expects. Defaults to at least one.
    ///   - answer: Returns the response to a request. A ``StubTransport`` throws its error. A ``LoopbackServer`` runs it
    ///     on the connection's thread, for several connections at once; it may block, and its error gives a 500 with
    ///     the error's text. If it refers to the server, it must capture the server weakly; otherwise the server lives
    ///     until ``LoopbackServer/stop()``.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ answer: @escaping @Sendable (RecordedRequest) throws -> MockResponse
    ) -> Self {
        add(Stub(method, pattern, where: conditions, times: count, answer: answer))
        return self
    }

    /// Adds a stub for the method and path of a route. Its parameters, header fields and body are not compared; use
    /// conditions for them.
    ///
    /// ```swift
    /// stub.on(.user("1"), .json(user))
    /// ```
    ///
    /// - Parameters:
    ///   - count: The number of requests that ``verify(order:)`` expects. Defaults to at least one.
    ///   - more: The following responses. The last one is repeated.
    @discardableResult
    public func on(
        _ route: Route, where conditions: [StubCondition] = [], times count: StubCount = .atLeastOnce,
        _ response: MockResponse, _ more: MockResponse...
    ) -> Self {
        add(Stub(route.method, PathPattern(literal: route.targetPath), conditions, count, .sequence([response] + more)))
        return self
    }

    /// Adds a stub for an endpoint that responds with a value of the endpoint's own output.
    ///
    /// ```swift
    /// stub.on(People.find, returning: User(id: "1", name: "Ann"))
    /// ```
    ///
    /// `Data` is sent as it is, a `String` as text, and any other value as JSON. For an endpoint with a key path the JSON
    /// has the value at that path.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, such as an `Endpoint` of HalyardEndpoints.
    ///   - count: The number of requests that ``verify(order:)`` expects. Defaults to at least one.
    ///   - mapper: Writes the value. Pass the provider's to write it as the API does. Defaults to
    ///     ``ObjectMapper/standard``.
    @discardableResult
    public func on<E: EndpointDescription>(
        _ endpoint: E, where conditions: [StubCondition] = [], times count: StubCount = .atLeastOnce,
        returning value: E.Output, mapper: ObjectMapper = .standard
    ) -> Self where E.Output: Encodable {
        let response: MockResponse =
            switch value {
            case _ where !endpoint.keyPath.isEmpty: .json(value, at: endpoint.keyPath, mapper: mapper)
            case let data as Data: .data(data)
            case let text as String: .text(text)
            default: .json(value, mapper: mapper)
            }
        return on(endpoint, where: conditions, times: count, response)
    }

    /// Adds a stub for an endpoint.
    ///
    /// ```swift
    /// stub.on(People.find, .status(503, retryAfter: 1), .json(user))
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, such as an `Endpoint` of HalyardEndpoints.
    ///   - count: The number of requests that ``verify(order:)`` expects. Defaults to at least one.
    ///   - more: The following responses. The last one is repeated.
    @discardableResult
    public func on(
        _ endpoint: some EndpointDescription, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ response: MockResponse, _ more: MockResponse...
    ) -> Self {
        add(
            Stub(
                endpoint.method, endpoint.pathTemplate, where: conditions, times: count, responses: [response] + more))
        return self
    }

    /// Checks that every stub was requested as often as it expects, that all responses of a sequence were used, and
    /// that a stub matched every request. It does so even if the code under test ignored the errors.
    ///
    /// ```swift
    /// try stub.verify()                                              // at the end of a test
    /// addTeardownBlock { try stub.verify() }                         // with XCTest
    /// try stub.verify(order: ["POST /login", "GET /user/{id}"])
    /// ```
    ///
    /// With Swift Testing, the trait `.verifyingStubs` of the module HalyardTestingTraits does so for all hosts that
    /// the test makes.
    ///
    /// - Parameter order: The stubs in the order of the requests, each as its method and pattern: all requests of the
    ///   host. Defaults to any order.
    /// - Throws: ``StubVerificationError`` with every problem.
    public func verify(order: [String]? = nil) throws(StubVerificationError) {
        let verification = verification
        var problems = verification.problems
        if let order, order != verification.order {
            problems.append(
                "The order of requests is \(verification.order.joined(separator: ", ")), and not "
                    + order.joined(separator: ", "))
        }
        if !problems.isEmpty { throw StubVerificationError(problems: problems) }
    }
}

extension MockResponse {
    /// Returns a response with the value's JSON at a key path.
    fileprivate static func json(_ value: some Encodable, at keyPath: String, mapper: ObjectMapper) -> MockResponse {
        let response = json(value, mapper: mapper)
        guard response.status == 200, case .data(let body) = response.content, let json = try? JSON(parsing: body)
        else {
            return response
        }
        return .json(JSONPath(keyPath).wrapping(json))
    }
}

/// The requests of a ``StubHost`` so far, compared with its stubs.
public struct StubVerification: Sendable {
    /// The problems, each as a sentence. Empty if there are none.
    public let problems: [String]
    /// The stubs in the order of the requests, each as its method and pattern.
    public let order: [String]
}

/// The error of ``StubHost/verify(order:)``.
public struct StubVerificationError: Error, CustomStringConvertible {
    /// The problems, each as a sentence.
    public let problems: [String]

    /// The problems, one a line.
    public var description: String { problems.joined(separator: "\n") }
}

/// Collects the hosts of stubs that a test makes, so that they can be verified at its end.
package final class StubCollector: Sendable {
    /// The collector of the current task. `nil` outside a test that verifies its stubs.
    @TaskLocal package static var current: StubCollector?

    private let verifications = Lock<[@Sendable () -> StubVerification]>([])

    package init() {}

    func add(_ verification: @escaping @Sendable () -> StubVerification) {
        verifications.withLock { $0.append(verification) }
    }

    /// The problems of all hosts.
    package var problems: [String] { verifications.withLock(\.self).flatMap { $0().problems } }
}
