import HalyardHTTP

/// The credentials of a provider for its own origin.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let authentication = Authentication.bearer(tokens)
/// }
/// ```
///
/// Credentials are sent only over https, or to the same machine: a loopback address, `localhost` or a name under it.
/// Over plain http, anyone on the network path can read them (RFC 6750 section 5.3, RFC 7617 section 4). A request that
/// would send them over plain http fails with ``HTTPError`` of kind `insecureCredentials`, unless you set `allowsHTTP:
/// true`.
public struct Authentication: Sendable {
    package let authenticator: (any Authenticator)?
    /// Whether the credentials are also sent over plain http to other machines.
    private let allowsHTTP: Bool

    /// Whether the authenticator may wait, as a user's may.
    var mayWait: Bool { !(authenticator is any ImmediateAuthenticator) }

    /// Creates credentials from an authenticator.
    public init(_ authenticator: any Authenticator, allowsHTTP: Bool = false) {
        self.authenticator = authenticator
        self.allowsHTTP = allowsHTTP
    }

    private init() { (authenticator, allowsHTTP) = (nil, false) }

    /// Adds the credentials to a request to the provider's origin. Throws ``HTTPError`` of kind `insecureCredentials`,
    /// or an error of the authenticator.
    nonisolated(nonsending) func authenticate(_ request: inout HTTPRequest) async throws {
        let origin = request.origin
        guard allowsHTTP || origin.scheme == "https" || origin.isLoopback else {
            throw HTTPError(.insecureCredentials("\(origin)"), request: request)
        }
        try await authenticator?.authenticate(&request)
    }

    /// No credentials. This is the default.
    public static let none = Authentication()

    /// Basic authentication (RFC 7617), which sends the name and password in UTF-8 with every request. If the name
    /// contains a colon, the request fails with ``HTTPError`` of kind `encoding`.
    public static func basic(user: String, password: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(Basic(user: user, password: password), allowsHTTP: allowsHTTP)
    }

    /// A bearer token (RFC 6750) that does not change.
    public static func bearer(_ token: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(Bearer(token: token), allowsHTTP: allowsHTTP)
    }

    /// A bearer token (RFC 6750). When the API rejects it, it is renewed once for all requests that wait for it.
    public static func bearer(_ tokens: TokenSource, allowsHTTP: Bool = false) -> Authentication {
        Authentication(tokens, allowsHTTP: allowsHTTP)
    }

    /// An API key in a header, such as `X-API-Key`.
    public static func apiKey(_ key: String, header name: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: false), allowsHTTP: allowsHTTP)
    }

    /// An API key in the query. Halyard redacts it in logs and descriptions, but servers and proxies log queries.
    public static func apiKey(_ key: String, query name: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: true), allowsHTTP: allowsHTTP)
    }

    /// Digest authentication (RFC 7616): name and password by challenge and response. The password is never sent.
    ///
    /// Of the server's challenges, the first with SHA-256 is used, otherwise MD5. The quality of protection is `auth`;
    /// `auth-int` if the server offers nothing else and the body is in memory; or none. If no challenge of a 401 can be
    /// answered, the error says why.
    public static func digest(user: String, password: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(DigestAuthenticator(user: user, password: password), allowsHTTP: allowsHTTP)
    }
}

extension Authentication: CustomStringConvertible {
    /// Whether credentials are set. The description does not contain them.
    public var description: String { authenticator == nil ? "no authentication" : "an authentication" }
}
