public import HalyardCodable

/// A request of an API, declared with the types of its values and its result. Call it with its arguments to get an
/// endpoint that a provider can send (`Endpoint<Void, Output>`).
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
/// Values of the wrong type or number do not compile. Names in braces are compared with the arguments when the endpoint
/// is created. See ``declarationError``.
public struct Endpoint<Input, Output: Sendable>: EndpointDescription, Sendable {
    /// The error in the declaration, with the placeholder and the argument, or `nil` if the declaration is correct.
    /// Every request of an endpoint with an error fails with it.
    ///
    /// ```swift
    /// #expect(People.patch.declarationError == nil)
    /// ```
    public let declarationError: HTTPError?

    /// The method and path, as declared.
    public let description: String

    /// The HTTP method.
    public let method: HTTPMethod

    /// The path as declared, such as `/users/{id}`, or, if the endpoint has its values, the path that is sent.
    public let pathTemplate: String

    /// The path of the result in the response's JSON, as declared with `at:`. Empty means the whole body.
    public let keyPath: String

    let route: @Sendable (Input) -> Route
    let serializer: ResponseSerializer<Output>

    init(
        _ description: String, _ method: HTTPMethod, _ pathTemplate: String, at keyPath: String = "",
        declarationError: HTTPError?, _ serializer: ResponseSerializer<Output>,
        _ route: @escaping @Sendable (Input) -> Route
    ) {
        self.keyPath = keyPath
        self.description = description
        self.method = method
        self.pathTemplate = pathTemplate
        self.declarationError = declarationError
        self.serializer = serializer
        self.route = route
    }
}

extension Endpoint: CustomStringConvertible {}

extension Endpoint {
    /// Declares an endpoint with a result.
    ///
    /// - Parameters:
    ///   - path: A literal that is appended to the provider's base URL. The argument `.path(name)` fills a name in
    ///     braces. Interpolation is not possible.
    ///   - arguments: Where the values of a call go, in the order of the values. See ``EndpointArgument``.
    ///   - params: Parameters of every call. Defaults to none.
    ///   - headers: Headers of every call. Defaults to none.
    ///   - encoding: How fields are written. Defaults to the provider's encoding, or to JSON if that is the query. If
    ///     there is a part, it defaults to a multipart form.
    ///   - output: The type of the result: `Data`, `String`, `JSON`, a `Decodable` type, or a type of the provider's
    ///     serializers.
    ///   - stub: Creates the response in dry mode from the values of the call. Defaults to an empty 200.
    public init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: StaticString,
        _ arguments: repeat EndpointArgument<each Value>,
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

    /// Declares an endpoint whose result is part of the response's JSON, such as a list in an envelope.
    ///
    /// ```swift
    /// static let all = Endpoint(.get, "/users", returning: [User].self, at: "data.items")
    ///
    /// let users = try await api.send(People.all)
    /// for try await user in api.items(People.all, by: .link) { show(user) }
    /// ```
    ///
    /// See the initializer without `at:` for the other parameters.
    ///
    /// - Parameter keyPath: The path of the value. See `HTTPResponse/object(_:at:mapper:)`. A path that is not in the
    ///   JSON is an error of kind `decoding`.
    public init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: StaticString,
        _ arguments: repeat EndpointArgument<each Value>,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        returning output: Output.Type = Output.self,
        at keyPath: String,
        stub: (@Sendable (repeat each Value) throws -> StubResponse)? = nil
    ) where Input == (repeat each Value), Output: Decodable {
        self.init(
            method, "\(path)", repeat each arguments, common: (params, headers, encoding),
            .object(output, at: keyPath), stub, at: keyPath)
    }

    /// Declares an endpoint without a result. See the initializer with `returning:` for the parameters.
    public init<each Value: Sendable>(
        _ method: HTTPMethod,
        _ path: StaticString,
        _ arguments: repeat EndpointArgument<each Value>,
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
        _ arguments: repeat EndpointArgument<each Value>,
        common: (params: Parameters, headers: HTTPHeaders, encoding: ParameterEncoding?),
        _ serializer: ResponseSerializer<Output>,
        _ stub: (@Sendable (repeat each Value) throws -> StubResponse)?,
        at keyPath: String = ""
    ) where Input == (repeat each Value) {
        let template = PathTemplate(path)
        var places: [ArgumentPlace] = []
        for argument in repeat each arguments { places += argument.places }
        let declarationError = template.declarationError(filledBy: places, method, common.encoding)
        let base = Route(
            path: "", method: method, params: common.params, headers: common.headers, encoding: common.encoding)
        self.init(
            "\(method) \(path)", method, path, at: keyPath, declarationError: declarationError, serializer
        ) { input in
            var draft = Draft(template, base, declarationError: declarationError)
            repeat (each arguments).add(each input, to: &draft)
            return draft.route(stub: Self.responder(stub, repeat each input))
        }
    }

    /// Returns the closure that makes the response of the stub.
    private static func responder<each Value: Sendable>(
        _ stub: (@Sendable (repeat each Value) throws -> StubResponse)?, _ values: repeat each Value
    ) -> (@Sendable () throws -> StubResponse)? {
        guard let stub else { return nil }
        return { try stub(repeat each values) }
    }
}

extension StubResponse {
    /// Returns a response with a value, written in dry mode by the provider's serializers. See `RouteBody.value(_:)`.
    public static func value(_ value: some Sendable, status: Int = 200) -> StubResponse {
        StubResponse(.body(.value(value)), status: status)
    }
}

extension Endpoint {
    /// Returns a copy that reads the response in another way, such as decoding an object at a key path.
    ///
    /// ```swift
    /// static let all = Endpoint(.get, "/users").reading(.object([User].self, at: "data.items"))
    /// ```
    public func reading<NewOutput>(_ serializer: ResponseSerializer<NewOutput>) -> Endpoint<Input, NewOutput> {
        Endpoint<Input, NewOutput>(
            description, method, pathTemplate, declarationError: declarationError, serializer, route)
    }

    /// Returns the endpoint filled with values, in the order of the arguments.
    public func callAsFunction<each Value: Sendable>(
        _ values: repeat each Value
    ) -> Endpoint<Void, Output> where Input == (repeat each Value) {
        let route = route((repeat each values))
        return Endpoint<Void, Output>(
            description, route.method, route.targetPath, at: keyPath, declarationError: declarationError, serializer
        ) { _ in route }
    }
}

extension Endpoint: RequestConfigurable {
    /// Returns a copy with changed options, which apply to every call.
    ///
    /// ```swift
    /// static let save = Endpoint(.put, "/users/{id}", .path("id"), .json(User.self)).retry(.upTo(attempts: 3))
    /// ```
    public func configured(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> Endpoint {
        Endpoint(
            description, method, pathTemplate, at: keyPath, declarationError: declarationError, serializer
        ) { [route] input in
            var route = route(input)
            change(&route.options)
            return route
        }
    }
}

extension Route {
    /// Returns the route as an endpoint with a result.
    ///
    /// ```swift
    /// let me = try await api.send(Route.me.returning(User.self))
    /// ```
    public func returning<Output>(_ output: Output.Type) -> Endpoint<Void, Output> {
        Endpoint("\(self)", method, targetPath, declarationError: nil, .value(of: output)) { _ in self }
    }
}
