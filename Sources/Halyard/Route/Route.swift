public import HalyardFoundation
public import HalyardHTTP

/// A value type that describes a request: its path, method, parameters, headers and body. A provider sends it.
///
/// ```swift
/// extension Route {
///     static let me = Route(path: "/me")
///     static func user(_ id: String) -> Route { Route(path: "/user/\(id)") }
///     static let login = { @Sendable (email: String, password: String) in
///         Route(path: "/login", method: .post, params: ["email": email, "password": password])
///     }
/// }
/// ```
public struct Route: Sendable {
    package enum Target: Sendable {
        case path(RoutePath)
        case absolute(String)
    }

    package var target: Target
    /// The HTTP method.
    public var method: HTTPMethod
    /// The parameters. The provider's `additionalParams` are added to them, but a parameter of the route takes
    /// precedence over one with the same name.
    public var params: Parameters
    /// The headers. They take precedence over the provider's.
    public var headers: HTTPHeaders
    /// How the parameters are written. If this is `nil`, the provider's `defaultEncoding(for:)` decides.
    public var encoding: ParameterEncoding?
    /// The body. If you set it, the parameters go into the query.
    public var body: RouteBody?
    /// The parts of a multipart form. The parameters come before them, as fields.
    public var multipart: [MultipartPart]?
    /// The timeout, retries and other settings. Each defaults to the client's.
    public var options: RequestOptions {
        get { optionStorage?.fields ?? RequestOptions() }
        set { optionStorage = COWStorage(newValue) }
    }
    /// `nil` if every setting has its default. Most routes are such, and a route is copied often.
    private var optionStorage: COWStorage<RequestOptions>?
    /// The route whose response has named the URL of this route. `nil` for any other route.
    package var source: Source?
    /// `nil` for most routes. It is one reference, because a route is copied often.
    private var endpointStorage: COWStorage<EndpointOptions>?
    /// The options that only endpoints set.
    package var endpointOptions: EndpointOptions? {
        get { endpointStorage?.fields }
        set { endpointStorage = newValue.map { COWStorage($0) } }
    }

    package struct EndpointOptions: Sendable {
        /// Parameters that go to the query, wherever ``params`` go.
        package var query: Parameters = [:]
        /// Whether ``params`` are fields of the body. They are written as JSON if the provider's encoding is the query.
        package var hasFields = false
        /// Makes the response of dry mode. `nil` for an empty 200.
        package var stub: (@Sendable () throws -> StubResponse)?
        /// The error of a request that cannot be built.
        package var error: HTTPError?
        /// Method and path as they were declared, if no request can be built.
        package var declaration: String?

        package init() {}
    }

    /// Creates a route relative to the provider's base URL.
    ///
    /// You can append further settings: `Route(path: "/report").timeout(.seconds(120)).retry(.upTo(attempts: 3))`; see
    /// ``RequestOptions``.
    ///
    /// - Parameters:
    ///   - path: The path to append to the base URL. A leading slash makes no difference. An empty path is the base URL
    ///     itself.
    ///   - encoding: How the parameters are written. Defaults to the provider's choice: JSON for POST, PUT and PATCH,
    ///     and the query for all other methods.
    ///   - multipart: A multipart form. Passing a body as well is an error.
    public init(
        path: RoutePath,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: [MultipartPart]? = nil
    ) {
        self.init(.path(path), method, params, headers, encoding, body, multipart)
    }

    /// Creates a route to an absolute URL, such as the next page or a presigned upload.
    ///
    /// If the URL has the origin of the provider's base URL, the request gets the provider's headers, parameters and
    /// credentials. At any other origin, it gets none of them.
    ///
    /// The other parameters are those of ``init(path:method:params:headers:encoding:body:multipart:)``.
    public init(
        url: URL,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: [MultipartPart]? = nil
    ) {
        self.init(.absolute(url.absoluteString), method, params, headers, encoding, body, multipart)
    }

    package init(
        _ target: Target, _ method: HTTPMethod, _ params: Parameters, _ headers: HTTPHeaders,
        _ encoding: ParameterEncoding? = nil, _ body: RouteBody? = nil, _ multipart: [MultipartPart]? = nil
    ) {
        self.target = target
        self.method = method
        self.params = params
        self.headers = headers
        self.encoding = encoding
        self.body = body
        self.multipart = multipart
    }
}

extension Route: RequestConfigurable {
    /// Returns a copy of the route with changed options.
    public func configured(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> Route {
        var route = self
        change(&route.options)
        return route
    }

    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
    ///
    /// A literal is a ``RoutePath`` and compiles, because the compiler prefers the initializer that is available.
    @available(
        *, unavailable,
        message:
            "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal, or Route(url:)"
    )
    public init(
        path: String,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: [MultipartPart]? = nil
    ) {
        self.init(.path(RoutePath(verbatim: path)), method, params, headers)
    }
}

extension Route {
    /// Whether the route has an absolute URL.
    var isAbsolute: Bool { if case .absolute = target { true } else { false } }
}

extension Route: CustomStringConvertible {
    /// The method and path, without the query, which may contain tokens.
    public var description: String {
        switch target {
        case .path(let path): "\(method) \(path.path)"
        case .absolute(let url): "\(method) \(RedactedAddress.of(url))"
        }
    }
}

/// The declaration of an endpoint, as a test's stub uses it. An `Endpoint` of HalyardEndpoints conforms to it.
public protocol EndpointDescription<Output> {
    /// The type of the result.
    associatedtype Output

    var method: HTTPMethod { get }
    /// The path relative to the provider's base URL, with a name in braces for each value: `/users/{id}`.
    var pathTemplate: String { get }
    /// The path of the result in the response's JSON, such as `data.items`. Empty, the default, means the whole body.
    var keyPath: String { get }
}

extension EndpointDescription {
    /// The whole body.
    public var keyPath: String { "" }
}

extension Route {
    /// The path of the route without the query, percent-encoded. Of an absolute URL that after the host.
    package var targetPath: String {
        switch target {
        case .path(let path): return path.path
        case .absolute(let url):
            let local = url.prefix { $0 != "?" && $0 != "#" }
            let afterScheme = local.firstRange(of: "://").map { local[$0.upperBound...] } ?? local
            return String(afterScheme.drop { $0 != "/" })
        }
    }
}
