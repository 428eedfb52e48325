public import HalyardHTTP

/// Makes a request one's own: adds credentials, and answers a 401. What a provider's ``Authentication`` is made of; conform
/// to it for a scheme that Halyard does not know.
///
/// It is asked for requests to the provider's own origin alone. A request that a redirect has led elsewhere gets nothing of
/// it for the rest of its way, and a foreign 401 is never shown.
public protocol Authenticator: Sendable {
    /// Adds credentials, before each attempt.
    ///
    /// - Throws: whatever hinders it: the request then fails with that, and is not sent.
    func authenticate(_ request: inout HTTPRequest) async throws

    /// Looks at a 401, once for each request. With `true` the request is authenticated and sent again, unless its body can
    /// be read once: then the 401 is its response, whatever is said or thrown here.
    ///
    /// - Parameters:
    ///   - response: the 401.
    ///   - request: as it was sent, with the credentials that were not good enough.
    func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool
}

/// Who one is to an API: a provider's `authentication`.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let authentication = Authentication.bearer(tokens)
/// }
/// ```
///
/// Whatever they are, credentials go over https alone, or to this machine itself: a loopback address, `localhost` or a name
/// below it. Over plain http anybody on the way can read them (RFC 6750 section 5.3, RFC 7617 section 4): a request that
/// would send them so fails with ``HTTPError`` of kind `insecureCredentials`, and is not sent. With `allowsHTTP: true`
/// they go over plain http as well.
public struct Authentication: Sendable {
    package let authenticator: (any Authenticator)?
    /// Whether the credentials go over plain http to other machines as well.
    private let allowsHTTP: Bool

    /// An authenticator of one's own.
    ///
    /// - Parameters:
    ///   - authenticator: adds the credentials.
    ///   - allowsHTTP: whether it is asked for requests over plain http to other machines as well. Defaults to false.
    public init(_ authenticator: any Authenticator, allowsHTTP: Bool = false) {
        self.authenticator = authenticator
        self.allowsHTTP = allowsHTTP
    }

    private init() { (authenticator, allowsHTTP) = (nil, false) }

    /// Adds the credentials to a request to the provider's origin.
    ///
    /// - Throws: ``HTTPError`` of kind `insecureCredentials`, or what the authenticator throws.
    nonisolated(nonsending) func authenticate(_ request: inout HTTPRequest) async throws {
        let origin = request.origin
        guard allowsHTTP || origin.scheme == "https" || origin.isLoopback else {
            throw HTTPError(.insecureCredentials("\(origin)"), request: request)
        }
        try await authenticator?.authenticate(&request)
    }

    /// No credentials: the default.
    public static let none = Authentication()

    /// Name and password with every request (RFC 7617), in UTF-8.
    ///
    /// - Parameters:
    ///   - user: the name; it has no colon.
    ///   - password: the password.
    ///   - allowsHTTP: whether they go over plain http to other machines as well. Defaults to false.
    public static func basic(user: String, password: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(Basic(user: user, password: password), allowsHTTP: allowsHTTP)
    }

    /// A token that does not change (RFC 6750).
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - allowsHTTP: whether it goes over plain http to other machines as well. Defaults to false.
    public static func bearer(_ token: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(Bearer(token: token), allowsHTTP: allowsHTTP)
    }

    /// A token that is renewed when it is refused, once for all requests that wait for it.
    ///
    /// - Parameters:
    ///   - tokens: where the token is kept and renewed.
    ///   - allowsHTTP: whether it goes over plain http to other machines as well. Defaults to false.
    public static func bearer(_ tokens: TokenSource, allowsHTTP: Bool = false) -> Authentication {
        Authentication(tokens, allowsHTTP: allowsHTTP)
    }

    /// A key in a header field of its own, such as `X-API-Key`.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - name: the name of the field.
    ///   - allowsHTTP: whether it goes over plain http to other machines as well. Defaults to false.
    public static func apiKey(_ key: String, header name: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: false), allowsHTTP: allowsHTTP)
    }

    /// A key in the query. It is masked in all that is printed; servers and proxies log queries all the same.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - name: the name of the parameter.
    ///   - allowsHTTP: whether it goes over plain http to other machines as well. Defaults to false.
    public static func apiKey(_ key: String, query name: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: true), allowsHTTP: allowsHTTP)
    }

    /// Name and password by challenge and response (RFC 7616): the first of SHA-256 and SHA-512-256 that the server offers,
    /// else MD5, with the quality of protection `auth`, `auth-int` where that alone is offered and the body is in memory,
    /// or none. A 401 whose challenges cannot be answered says why. The hashes are Halyard's own, the same on every system.
    ///
    /// - Parameters:
    ///   - user: the name.
    ///   - password: the password, which is never sent.
    ///   - allowsHTTP: whether the answers go over plain http to other machines as well. Defaults to false.
    public static func digest(user: String, password: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(DigestAuthenticator(user: user, password: password), allowsHTTP: allowsHTTP)
    }
}

extension Authentication: CustomStringConvertible {
    /// Whether there is one. No credentials: values are printed in passing.
    public var description: String { authenticator == nil ? "no authentication" : "an authentication" }
}
