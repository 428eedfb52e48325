/// Decides which redirects a client or a route follows (RFC 9110 section 15.4).
///
/// ```swift
/// var redirects = RedirectPolicy.follow
/// redirects.limit = 3
/// let client = HTTPClient(configuration: .init(redirects: redirects))
/// let response = try await api.request(Route.me.redirects(.never)).response()  // the 302 itself
/// ```
///
/// Every policy follows these rules:
///
/// - Only redirects to http and https are followed.
/// - A request that goes to another scheme, host or port loses its credentials, for all further redirects: everything
///   that the authenticator added, everything that the provider added under the name of a secret, cookies, and headers
///   such as `Authorization`. If its body contains a parameter of the provider with the name of a secret, the request
///   fails with ``HTTPError`` of kind `foreignSecrets`.
/// - A body that can be read only once is not sent again.
public struct RedirectPolicy: Sendable, Equatable {
    /// The maximum number of redirects for a request. One more fails it with ``HTTPError`` of kind `tooManyRedirects`.
    /// If the limit is 0, no redirect is followed, and the response is the redirect itself.
    public var limit: Int
    /// Whether a redirect may lead from https to http. If not, it fails the request with ``HTTPError`` of kind
    /// `insecureRedirect`.
    public var allowsDowngrade: Bool
    /// Whether a 307 or 308 may send a body to another origin if it contains the caller's `password`, `client_secret`,
    /// `access_token` or `refresh_token`, or a value named in the provider's `secretNames`. If not, it fails the
    /// request with ``HTTPError`` of kind `foreignSecrets`. The same applies to an interceptor that changes the origin.
    public var allowsForeignSecrets: Bool

    /// Returns a policy that follows redirects. Each parameter sets the property with its name.
    public static func follow(
        limit: Int = 20, allowsDowngrade: Bool = false, allowsForeignSecrets: Bool = false
    ) -> RedirectPolicy {
        RedirectPolicy(
            limit: max(0, limit), allowsDowngrade: allowsDowngrade, allowsForeignSecrets: allowsForeignSecrets)
    }

    /// A policy that follows at most 20 redirects, and none from https to http.
    public static let follow = RedirectPolicy.follow()
    /// A policy that follows no redirects. A 302 is then a response like any other, and a failure by default.
    public static let never = RedirectPolicy.follow(limit: 0)
}
