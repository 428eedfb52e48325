public import HalyardCodable

/// One thing that an API can be asked, declared once: what it takes, and what it gives. Called with plain values it gives
/// an endpoint that takes nothing more, which a provider sends.
///
/// ```swift
/// enum People {
///     static let find = Endpoint(.get, "/users/{id}", .path("id"), returning: User.self)
///     static let patch = Endpoint(.patch, "/users/{id}", .json(User.self), .path("id"), .query("dry", as: Bool?.self))
/// }
/// extension Endpoint<Void, User> { static let me = Self(.get, "/me") }
///
/// let me = try await api.send(.me)                             // User
/// try await api.send(People.patch(me, "42", nil))              // Void
/// ```
///
/// Values of a wrong type, too few and too many do not compile. Names in braces and the arguments that fill them are
/// checked against each other when the endpoint is made: see ``flaw``.
public struct Endpoint<Input, Output: Sendable>: Sendable {
    /// Why no request can be made of it, known from its declaration: every request fails with this, and names the
    /// placeholder and the argument. `nil` where it is sound.
    ///
    /// ```swift
    /// #expect(People.patch.flaw == nil)
    /// ```
    public let flaw: HTTPError?

    /// Method and path, as declared.
    public let description: String

    let route: @Sendable (Input) -> Route
    let serializer: ResponseSerializer<Output>

    init(
        _ description: String, flaw: HTTPError?, _ serializer: ResponseSerializer<Output>,
        _ route: @escaping @Sendable (Input) -> Route
    ) {
        self.description = description
        self.flaw = flaw
        self.serializer = serializer
        self.route = route
    }
}

extension Endpoint: CustomStringConvertible {}

extension Endpoint {
    /// Declares an endpoint that gives a value.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: written out, and appended to the provider's base URL as a route's path is; a name in braces is filled by
    ///     the argument `.path(name)`. Nothing can be interpolated: that is what arguments are for.
    ///   - arguments: what each value of a call is; see ``Argument``. In their order they are given.
    ///   - params: parameters of every call, beside its arguments.
    ///   - headers: header fields of every call.
    ///   - encoding: how fields are written: JSON unless given, where the provider does not say otherwise, or a multipart
    ///     form where there is a part.
    ///   - output: what is made of the response: `Data`, `String`, `JSON`, any `Decodable`, or what a serializer of the
    ///     provider reads.
    ///   - stub: the answer in dry mode, made of the call's own values; an empty 200 unless given.
    public init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: StaticString,
        _ arguments: repeat Argument<each Value>,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        returning output: Output.Type = Output.self,
        stub: (@Sendable (repeat each Value) throws -> StubResponse)? = nil
    ) where Input == (repeat each Value) {
        self.init(
            method, "\(path)", repeat each arguments, common: (params, headers, encoding), .value(of: output),
            stub)
    }

    /// Declares an endpoint that gives nothing: success or an error. For the parameters see the other.
    public init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: StaticString,
        _ arguments: repeat Argument<each Value>,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        stub: (@Sendable (repeat each Value) throws -> StubResponse)? = nil
    ) where Input == (repeat each Value), Output == Void {
        self.init(method, "\(path)", repeat each arguments, common: (params, headers, encoding), .void, stub)
    }

    private init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        _ arguments: repeat Argument<each Value>,
        common: (params: Parameters, headers: HTTPHeaders, encoding: ParameterEncoding?),
        _ serializer: ResponseSerializer<Output>,
        _ stub: (@Sendable (repeat each Value) throws -> StubResponse)?
    ) where Input == (repeat each Value) {
        let template = PathTemplate(path)
        var places: [ArgumentPlace] = []
        for argument in repeat each arguments { places += argument.places }
        let flaw = template.flaw(filledBy: places, method, common.encoding)
        let base = Route(
            path: "", method: method, params: common.params, headers: common.headers, encoding: common.encoding)
        self.init("\(method) \(path)", flaw: flaw, serializer) { input in
            var draft = Draft(template, base, flaw: flaw)
            repeat (each arguments).add(each input, to: &draft)
            return draft.route(answer: Self.answer(stub, repeat each input))
        }
    }

    /// The stub's answer to a call, made when it is asked for.
    private static func answer<each Value: Sendable>(
        _ stub: (@Sendable (repeat each Value) throws -> StubResponse)?, _ values: repeat each Value
    ) -> (@Sendable (HTTPRequest, Codec) async throws -> HTTPResponse)? {
        guard let stub else { return nil }
        return { request, codec in try await stub(repeat each values).response(to: request, codec) }
    }
}

extension Endpoint {
    /// The same, with another way to read the response: an object at a key path, a serializer of one's own.
    ///
    /// ```swift
    /// static let all = Endpoint(.get, "/users").reading(.object([User].self, at: "data.items"))
    /// ```
    public func reading<NewOutput>(_ serializer: ResponseSerializer<NewOutput>) -> Endpoint<Input, NewOutput> {
        Endpoint<Input, NewOutput>(description, flaw: flaw, serializer, route)
    }

    /// Returns a copy that changes the route of every call, after its arguments are filled in.
    ///
    /// For timeouts, retries and other options see ``configured(_:)``.
    ///
    /// - Parameter change: Changes the route.
    public func modifyingRoute(_ change: @escaping @Sendable (inout Route) -> Void) -> Endpoint {
        Endpoint(description, flaw: flaw, serializer) { [route] input in
            var route = route(input)
            change(&route)
            return route
        }
    }

    /// Fills in the values, in the order of the arguments: an endpoint that takes nothing more.
    public func callAsFunction<each Value: Sendable>(
        _ values: repeat each Value
    ) -> Endpoint<Void, Output> where Input == (repeat each Value) {
        let route = route((repeat each values))
        return Endpoint<Void, Output>(description, flaw: flaw, serializer) { _ in route }
    }
}

extension Endpoint: Configurable {
    /// Returns a copy with changed options for every call.
    ///
    /// ```swift
    /// static let save = Endpoint(.put, "/users/{id}", .path("id"), .json(User.self)).retry(.upTo(3))
    /// ```
    public func configured(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> Endpoint {
        modifyingRoute { change(&$0.options) }
    }
}

extension Route {
    /// This route as an endpoint: with what is made of its response.
    ///
    /// ```swift
    /// let me = try await api.send(Route.me.returning(User.self))
    /// ```
    public func returning<Output>(_ output: Output.Type) -> Endpoint<Void, Output> {
        Endpoint("\(self)", flaw: nil, .value(of: output)) { _ in self }
    }
}
