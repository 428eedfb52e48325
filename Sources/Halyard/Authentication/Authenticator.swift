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
public struct Authentication: Sendable {
    package let authenticator: (any Authenticator)?

    /// An authenticator of one's own.
    public init(_ authenticator: any Authenticator) { self.authenticator = authenticator }

    private init() { authenticator = nil }

    /// No credentials: the default.
    public static let none = Authentication()

    /// Name and password with every request (RFC 7617), in UTF-8.
    ///
    /// - Parameters:
    ///   - user: the name; it has no colon.
    ///   - password: the password.
    ///   - allowsHTTP: whether they go over plain http as well, where anybody on the way can read them. Without it such a
    ///     request fails with ``HTTPError`` of kind `insecureCredentials`, and is not sent.
    public static func basic(user: String, password: String, allowsHTTP: Bool = false) -> Authentication {
        Authentication(Basic(user: user, password: password, allowsHTTP: allowsHTTP))
    }

    /// A token that does not change (RFC 6750).
    public static func bearer(_ token: String) -> Authentication { Authentication(Bearer(token: token)) }

    /// A token that is renewed when it is refused, once for all requests that wait for it.
    public static func bearer(_ tokens: TokenSource) -> Authentication { Authentication(tokens) }

    /// A key in a header field of its own, such as `X-API-Key`.
    public static func apiKey(_ key: String, header name: String) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: false))
    }

    /// A key in the query. It is masked in all that is printed; servers and proxies log queries all the same.
    public static func apiKey(_ key: String, query name: String) -> Authentication {
        Authentication(APIKey(key: key, name: name, isInQuery: true))
    }

    /// Name and password by challenge and response (RFC 7616): SHA-256 where the server offers it, else MD5, with the
    /// quality of protection `auth`, or none. The hashes are Halyard's own, the same on every system.
    public static func digest(user: String, password: String) -> Authentication {
        Authentication(DigestAuthenticator(user: user, password: password))
    }
}

extension Authentication: CustomStringConvertible {
    /// Whether there is one. No credentials: values are printed in passing.
    public var description: String { authenticator == nil ? "no authentication" : "an authentication" }
}
