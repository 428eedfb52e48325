public import HalyardFoundation
public import HalyardHTTP

/// What is asked of an API: a value, made once or for each call, sent by a provider.
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
    /// The method.
    public var method: HTTPMethod
    /// The parameters; the provider's `additionalParams` join them, and a name that stands in both is the route's.
    public var params: Parameters
    /// The header fields; a name that the provider has too is the route's.
    public var headers: HTTPHeaders
    /// How the parameters are written; `nil` leaves it to the provider's `defaultEncoding(for:)`.
    public var encoding: ParameterEncoding?
    /// A body of the route's own; the parameters then go to the query.
    public var body: RouteBody?
    /// A multipart form; the parameters then stand before its parts, as fields.
    public var multipart: Multipart?
    /// The most time for the whole request; the client's unless given.
    public var timeout: Duration?
    /// The most bytes of the response that are kept in memory; the client's unless given.
    public var memoryLimit: Int?
    /// What becomes of a redirect; the client's policy unless given.
    public var redirects: RedirectPolicy?
    /// What becomes of a failure that may pass; the client's policy unless given.
    public var retry: RetryPolicy?
    /// Where the request's handlers run that are added without `on:`; the provider's unless given.
    public var delivery: Delivery?
    /// How objects are read and written; the provider's unless given.
    public var mapper: ObjectMapper?
    /// Of an endpoint, beside what every route has.
    package var extras: Extras?

    package struct Extras: Sendable {
        /// Parameters that stand in the query, wherever ``params`` go.
        package var query: Parameters = [:]
        /// ``params`` are a body's fields: where the provider would put them into the query they are JSON.
        package var hasFields = false
        /// Answers in dry mode, in place of an empty 200.
        package var answer: (@Sendable (HTTPRequest, Codec) async throws -> HTTPResponse)?
        /// Why no request can be made of it.
        package var flaw: HTTPError?
        /// Method and path as they were declared, where no request can be made of it.
        package var declaration: String?

        package init() {}
    }

    /// A route below the provider's base URL.
    ///
    /// - Parameters:
    ///   - path: appended to the base; a leading slash makes no difference, an empty path is the base itself.
    ///   - method: GET unless given.
    ///   - params: none unless given.
    ///   - headers: none unless given.
    ///   - encoding: the provider's choice unless given: JSON for POST and PUT, the query for all others.
    ///   - body: see ``body``. None unless given.
    ///   - multipart: see ``multipart``. None unless given; with a body as well it is an error.
    ///   - timeout: see ``timeout``.
    ///   - memoryLimit: see ``memoryLimit``.
    ///   - redirects: see ``redirects``.
    ///   - retry: see ``retry``.
    ///   - delivery: see ``delivery``.
    ///   - mapper: see ``mapper``.
    public init(
        path: RoutePath,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: Multipart? = nil,
        timeout: Duration? = nil,
        memoryLimit: Int? = nil,
        redirects: RedirectPolicy? = nil,
        retry: RetryPolicy? = nil,
        delivery: Delivery? = nil,
        mapper: ObjectMapper? = nil
    ) {
        self.init(.path(path), method, params, headers)
        self.encoding = encoding
        self.body = body
        self.multipart = multipart
        self.timeout = timeout
        self.memoryLimit = memoryLimit
        self.redirects = redirects
        self.retry = retry
        self.delivery = delivery
        self.mapper = mapper
    }

    /// A route to an absolute URL: the next page, a presigned upload. The rest is as for a path.
    ///
    /// On the origin of the provider's base URL it gets all that the provider adds, elsewhere nothing of it:
    /// credentials stay at home.
    public init(
        url: URL,
        method: HTTPMethod = .get,
        params: Parameters = [:],
        headers: HTTPHeaders = [:],
        encoding: ParameterEncoding? = nil,
        body: RouteBody? = nil,
        multipart: Multipart? = nil,
        timeout: Duration? = nil,
        memoryLimit: Int? = nil,
        redirects: RedirectPolicy? = nil,
        retry: RetryPolicy? = nil,
        delivery: Delivery? = nil,
        mapper: ObjectMapper? = nil
    ) {
        self.init(.absolute(url.absoluteString), method, params, headers)
        self.encoding = encoding
        self.body = body
        self.multipart = multipart
        self.timeout = timeout
        self.memoryLimit = memoryLimit
        self.redirects = redirects
        self.retry = retry
        self.delivery = delivery
        self.mapper = mapper
    }

    package init(_ target: Target, _ method: HTTPMethod, _ params: Parameters, _ headers: HTTPHeaders) {
        self.target = target
        self.method = method
        self.params = params
        self.headers = headers
    }
}

extension Route: CustomStringConvertible {
    /// Method and path, without the query, where tokens travel.
    public var description: String {
        switch target {
        case .path(let path): "\(method) \(path.path)"
        case .absolute(let url): "\(method) \(RedactedAddress.of(url))"
        }
    }
}
