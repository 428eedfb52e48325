public import Halyard
import HalyardFoundation

/// A type that has stubs: a ``StubTransport`` or a ``LoopbackServer``.
public protocol StubHost: AnyObject, Sendable {
    /// The stubs and the requests so far.
    var stubs: StubRegistry { get }
}

extension StubHost {
    private func adding(
        _ method: HTTPMethod, _ pattern: PathPattern, _ conditions: [StubCondition], _ count: StubCount,
        _ reply: Stub.Reply
    ) -> Self {
        stubs.add(Stub(method: method, pattern: pattern, conditions: conditions, count: count, reply: reply))
        return self
    }

    /// The requests so far, in the order in which they were complete. Each is recorded before it is answered.
    ///
    /// All requests are kept, with their bodies, unless the server has a record limit. It then keeps the latest ones.
    public var requests: [RecordedRequest] { stubs.requests }

    /// Waits for a request and returns it. If it has already arrived, this returns at once.
    ///
    /// ```swift
    /// model.save()  // starts a task
    /// let saved = try await stub.request(2)
    /// ```
    ///
    /// - Parameters:
    ///   - number: The number of the request, starting at 1.
    ///   - limit: The longest time to wait, on the system's clock. Defaults to 10 seconds.
    /// - Throws: ``TestingError`` after the limit. `CancellationError`.
    public func request(_ number: Int = 1, within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        try await stubs.request(number, within: limit)
    }

    /// Adds a stub with responses, one for each request. The last one is repeated. The stub replaces one with the same
    /// method, pattern and conditions.
    ///
    /// ```swift
    /// stub.on(.get, "/user/{id}", .json(user))
    ///     .on(.get, "/search", where: [.query("page", "2")], times: 1, .json(text: "[]"))
    /// ```
    ///
    /// - In a pattern, `{name}` matches one segment of the path. ``RecordedRequest/pathParameters`` contains its value.
    /// - `*` as the last segment matches the rest of the path.
    /// - Everything else is compared in percent-encoded form.
    /// - A pattern with a query matches only that query.
    /// - If several patterns match, the most specific one is used: `/user/me` before `/user/{id}` before `/user/*`. For
    ///   the same pattern, the stub with the most conditions is used.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ response: StubResponse, _ more: StubResponse...
    ) -> Self {
        adding(method, PathPattern(pattern), conditions, count, .sequence([response] + more))
    }

    /// Adds a stub with a closure. The stub replaces one with the same method, pattern and conditions.
    ///
    /// - Parameter answer: Returns the response to a request. A ``StubTransport`` throws its error. A
    ///   ``LoopbackServer`` runs it on the connection's thread, for several connections at once; it may block, and if
    ///   it throws, the response is a 500 with the error's text. If it refers to the server, capture the server weakly;
    ///   otherwise the server lives until ``LoopbackServer/stop()``.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ answer: @escaping @Sendable (RecordedRequest) throws -> StubResponse
    ) -> Self {
        adding(method, PathPattern(pattern), conditions, count, .closure(answer))
    }

    /// Adds a stub for the method and path of a route. The route's parameters, headers and body are not compared; use
    /// conditions for them.
    ///
    /// ```swift
    /// stub.on(.user("1"), .json(user))
    /// ```
    @discardableResult
    public func on(
        _ route: Route, where conditions: [StubCondition] = [], times count: StubCount = .atLeastOnce,
        _ response: StubResponse, _ more: StubResponse...
    ) -> Self {
        adding(route.method, PathPattern(literal: route.targetPath), conditions, count, .sequence([response] + more))
    }

    /// Adds a stub for the method and path of a route, with a closure.
    @discardableResult
    public func on(
        _ route: Route, where conditions: [StubCondition] = [], times count: StubCount = .atLeastOnce,
        _ answer: @escaping @Sendable (RecordedRequest) throws -> StubResponse
    ) -> Self {
        adding(route.method, PathPattern(literal: route.targetPath), conditions, count, .closure(answer))
    }

    /// Adds a stub for an endpoint that responds with a value of the endpoint's output type.
    ///
    /// ```swift
    /// stub.on(People.find, returning: User(id: "1", name: "Ann"))
    /// ```
    ///
    /// `Data` is sent as it is, a `String` as text, and any other value as JSON. If the endpoint has a key path, the
    /// JSON contains the value at that path.
    ///
    /// - Parameter mapper: Writes the value. Pass the provider's mapper to write it as the API does.
    @discardableResult
    public func on<E: EndpointDescription>(
        _ endpoint: E, where conditions: [StubCondition] = [], times count: StubCount = .atLeastOnce,
        returning value: E.Output, mapper: ObjectMapper = .standard
    ) -> Self where E.Output: Encodable & Sendable {
        let response: StubResponse =
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
    @discardableResult
    public func on(
        _ endpoint: some EndpointDescription, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ response: StubResponse, _ more: StubResponse...
    ) -> Self {
        adding(
            endpoint.method, PathPattern(endpoint.pathTemplate), conditions, count, .sequence([response] + more))
    }

    /// Adds a stub for an endpoint, with a closure.
    @discardableResult
    public func on(
        _ endpoint: some EndpointDescription, where conditions: [StubCondition] = [],
        times count: StubCount = .atLeastOnce, _ answer: @escaping @Sendable (RecordedRequest) throws -> StubResponse
    ) -> Self {
        adding(endpoint.method, PathPattern(endpoint.pathTemplate), conditions, count, .closure(answer))
    }

    /// Checks that every stub received the expected number of requests, that all responses of a sequence were used, and
    /// that a stub matched every request. It does so even if the code under test ignored the errors.
    ///
    /// ```swift
    /// try stub.verify()                                              // at the end of a test
    /// addTeardownBlock { try stub.verify() }                         // with XCTest
    /// try stub.verify(order: ["POST /login", "GET /user/{id}"])
    /// ```
    ///
    /// With Swift Testing, the trait `.verifyingStubs` of the module HalyardTestingTraits does this for all hosts that
    /// the test creates.
    ///
    /// - Parameter order: The stubs in the order of the requests, each as its method and pattern: all requests of the
    ///   host. Defaults to any order.
    /// - Throws: ``TestingError`` with every problem.
    public func verify(order: [String]? = nil) throws(TestingError) {
        var problems = stubs.problems
        let found = stubs.order
        if let order, order != found {
            problems.append(
                "The order of requests is \(found.joined(separator: ", ")), and not "
                    + order.joined(separator: ", "))
        }
        if !problems.isEmpty { throw TestingError(problems: problems) }
    }
}
