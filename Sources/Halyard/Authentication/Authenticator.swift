import HalyardFoundation
public import HalyardHTTP

/// Adds credentials to requests, and responds to a 401 or to other statuses that it chooses. To support another
/// authentication scheme, conform to it and pass your type to ``Authentication/init(_:allowsHTTP:)``.
///
/// ```swift
/// struct ClientID: Authenticator {
///     let id: String
///
///     func authenticate(_ request: inout HTTPRequest) async throws {
///         request.headers["X-Client-ID"] = id
///     }
/// }
/// let authentication = Authentication(ClientID(id: "7"))
/// ```
///
/// An authenticator receives only requests to the provider's own origin. After a redirect to another origin, a request
/// gets no credentials in any later redirect or retry, and the authenticator does not receive a 401 from that origin.
public protocol Authenticator: Sendable {
    /// Adds credentials to a request. This is called each time the request is sent. If it throws, the request fails and
    /// is not sent.
    func authenticate(_ request: inout HTTPRequest) async throws

    /// The statuses that ``recover(from:to:)`` responds to. Defaults to 401.
    var recoverableStatuses: Set<Int> { get }

    /// Responds to a 401 or to another of the ``recoverableStatuses``. Returns whether to authenticate the request
    /// again and resend it. It is called at most once, and again after each redirect and each retry. An error fails the
    /// request.
    ///
    /// If the request's body can be read only once, the request is not sent again, and its response is the 401.
    func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool
}

extension Authenticator {
    /// The status 401.
    public var recoverableStatuses: Set<Int> { [401] }

    /// Returns `false`, for credentials that are the same in every request: the request fails with its 401.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool { false }
}

/// An authenticator that never waits.
protocol ImmediateAuthenticator: Authenticator {}

struct Basic: ImmediateAuthenticator {
    let user, password: String

    func authenticate(_ request: inout HTTPRequest) throws {
        // The name ends at the first colon (RFC 7617 section 2).
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw HTTPError(.encoding("user"), reason: "a user name must not contain a colon")
        }
        request.headers[.authorization] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}

struct Bearer: ImmediateAuthenticator {
    let token: String

    func authenticate(_ request: inout HTTPRequest) { request.headers[.authorization] = "Bearer \(token)" }
}

struct APIKey: ImmediateAuthenticator {
    let key, name: String
    let isInQuery: Bool

    func authenticate(_ request: inout HTTPRequest) throws {
        request.secretNames.insert(name)
        guard isInQuery else {
            request.headers[name] = key
            return
        }
        let text = request.address.text
        let pair = String(decoding: QueryEncoder.encode(pairs: [name: key]), as: UTF8.self)
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + pair) else {
            throw HTTPError(.invalidURL(text))
        }
        try request.setURL(url)
    }
}
