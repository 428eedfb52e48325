public import Halyard
public import HalyardFoundation
import HalyardHTTP

/// The endpoints of an authorization server.
///
/// ```swift
/// let server = try await OAuthServer.discover(URL(string: "https://login.example.com")!)
/// let client = OAuthClient(id: "my-app", server: server)
/// ```
///
/// Every endpoint must have an https URL, or be on this machine. A request to another one fails with ``HTTPError`` of
/// kind `insecureCredentials`, and nothing is sent.
public struct OAuthServer: Sendable, Hashable {
    /// The identifier of the server (RFC 8414 section 2). It is compared with the `iss` of a redirect. `nil` if it is
    /// not known.
    public var issuer: URL?
    /// The token endpoint, which every flow needs.
    public var tokenURL: URL
    /// The authorization endpoint, where a user signs in with a browser.
    public var authorizationURL: URL?
    /// The device authorization endpoint (RFC 8628).
    public var deviceURL: URL?
    /// The revocation endpoint (RFC 7009).
    public var revocationURL: URL?
    /// Whether the server adds `iss` to every redirect (RFC 9207). A redirect without it is then refused. Defaults to
    /// `false`.
    public var sendsIssuer: Bool
    /// The document with everything that the server says about itself, such as `scopes_supported`. `null` if it was
    /// not asked.
    public var metadata: JSON

    /// Creates a server from the URLs in its documentation.
    public init(
        issuer: URL? = nil, tokenURL: URL, authorizationURL: URL? = nil, deviceURL: URL? = nil,
        revocationURL: URL? = nil, sendsIssuer: Bool = false, metadata: JSON = .null
    ) {
        (self.issuer, self.tokenURL, self.authorizationURL) = (issuer, tokenURL, authorizationURL)
        (self.deviceURL, self.revocationURL, self.sendsIssuer) = (deviceURL, revocationURL, sendsIssuer)
        self.metadata = metadata
    }
}

extension OAuthServer {
    /// Asks a server for its metadata (RFC 8414). If that fails, `discover` asks for the document of OpenID Connect
    /// Discovery.
    ///
    /// Keep the result, because each call sends one or two requests. Write `issuer` exactly as the server does: a
    /// slash at the end matters. An issuer for accounts of several tenants, such as Microsoft's
    /// `https://login.microsoftonline.com/common/v2.0`, fails with `wrongIssuer`, because its document is that of no
    /// tenant. Use the issuer of a tenant, or make the server from its URLs.
    ///
    /// - Throws: ``OAuthError`` of code `wrongIssuer` if the document names another issuer; ``HTTPError`` of kind
    ///   `invalidURL` if `issuer` has a query or a fragment, `insecureCredentials` if a URL is one of plain http to
    ///   another machine, `decoding` if there is no token endpoint, or of the kind with which the request failed; or
    ///   `CancellationError`.
    public static func discover(_ issuer: URL, http: HTTPClient = .shared) async throws -> OAuthServer {
        let text = issuer.absoluteString
        guard !text.contains("?"), !text.contains("#") else {
            throw HTTPError(.invalidURL(text), reason: "an issuer has neither a query nor a fragment")
        }
        var failure: (any Error)?
        for url in try documents(of: text) {
            do { return try await OAuthServer(document(at: url, http), of: issuer) } catch {
                // What the first place says is more than that the second one has nothing.
                if failure == nil || (failure as? HTTPError)?.status == 404 { failure = error }
                if error is CancellationError { break }
            }
        }
        throw failure ?? HTTPError(.decoding)
    }

    private static func document(at url: URL, _ http: HTTPClient) async throws -> JSON {
        let request = try secureRequest(.get, url)
        let response = try await http.send(request, options: options)
        guard response.isSuccessful else {
            throw HTTPError(.status(response.status), request: request, response: response)
        }
        // Some servers have a page for people at every path.
        guard let document = try? JSON(parsing: response.data), document["issuer"].string != nil else {
            throw HTTPError(.decoding, reason: "\(url) is not a document of an authorization server")
        }
        return document
    }

    /// The options of all requests to the server. No redirect is followed, which could lead secrets to another server.
    /// A renewal keeps other processes waiting, so that it has a limit.
    static var options: RequestOptions {
        var options = RequestOptions()
        options.redirects = .never
        options.timeout = .seconds(30)
        return options
    }

    /// The places of the document (RFC 8414 section 3.1, OpenID Connect Discovery section 4.1).
    private static func documents(of issuer: String) throws -> [URL] {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let start = base.firstRange(ofASCII: "://")?.upperBound ?? base.startIndex
        let path = base[start...].firstIndex(of: "/") ?? base.endIndex
        let places = [
            "\(base[..<path])/.well-known/oauth-authorization-server\(base[path...])",
            "\(base)/.well-known/openid-configuration",
        ]
        return try places.map { place in
            guard let url = URL(string: place) else { throw HTTPError(.invalidURL(place)) }
            return url
        }
    }

    private init(_ document: JSON, of issuer: URL) throws {
        // Otherwise a server could take the place of another one (RFC 8414 section 3.3).
        guard document["issuer"].string == issuer.absoluteString else {
            let other = document["issuer"].string?.inOneLine(200) ?? ""
            // Microsoft's documents for accounts of several tenants have `{tenantid}` in place of a tenant.
            let wayOut =
                other.contains("{")
                ? ". That is a template: use the issuer of one tenant, or make the `OAuthServer` from the URLs in the"
                    + " server's documentation" : ""
            throw OAuthError(
                .wrongIssuer,
                reason: "\(issuer.absoluteString) was asked, and the document is that of \(other)\(wayOut)")
        }
        func endpoint(_ name: String) throws -> URL? {
            guard let text = document[name].string else { return nil }
            guard let url = URL(string: text) else {
                throw HTTPError(.decoding, reason: "the \(name) of \(issuer.absoluteString) is not a URL")
            }
            return try Self.secureRequest(.get, url).url
        }
        guard let tokenURL = try endpoint("token_endpoint") else {
            throw HTTPError(.decoding, reason: "the document of \(issuer.absoluteString) has no token_endpoint")
        }
        self.init(
            issuer: issuer, tokenURL: tokenURL, authorizationURL: try endpoint("authorization_endpoint"),
            deviceURL: try endpoint("device_authorization_endpoint"),
            revocationURL: try endpoint("revocation_endpoint"),
            sendsIssuer: document["authorization_response_iss_parameter_supported"].bool ?? false, metadata: document)
    }

    /// Makes a request over https, or to this machine. Throws ``HTTPError`` of kind `insecureCredentials` for another.
    static func secureRequest(_ method: HTTPMethod, _ url: URL) throws(HTTPError) -> HTTPRequest {
        var request = try HTTPRequest(method, url)
        guard request.origin.scheme == "https" || request.origin.isLoopback else {
            throw HTTPError(.insecureCredentials("\(request.origin)"), request: request)
        }
        request.headers["Accept"] = "application/json"
        request.destination = .memory(limit: 1 << 20)
        return request
    }

    /// Returns an endpoint, or throws an error that says how to add it. `name` is its name in RFC 8414.
    static func required(_ url: URL?, _ name: String) throws(OAuthError) -> URL {
        guard let url else { throw OAuthError(.missingEndpoint(name)) }
        return url
    }
}
