/// Decides which redirects are followed (RFC 9110 section 15.4): a policy of a client or a route.
///
/// Every policy has these rules:
///
/// - Only http and https are followed.
/// - A request that goes to another scheme, host or port loses its credentials, and everything else that a log masks,
///   for all further redirects. If its body contains secrets, it fails with ``HTTPError`` of kind `foreignSecrets`.
/// - A body that can be read only once is not sent again.
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects of a request. One more fails it with ``HTTPError`` of kind `tooManyRedirects`.
    /// With 0, none is followed, and the response is the redirect itself.
    public var limit: Int
    /// Whether a redirect may lead from https to http. Otherwise it fails the request with ``HTTPError`` of kind
    /// `insecureRedirect`.
    public var allowsDowngrade: Bool

    /// Returns a policy that follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects of a request. Defaults to 20.
    ///   - allowsDowngrade: Whether a redirect may lead from https to http. Defaults to `false`.
    /// - Returns: The policy.
    public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: max(0, limit), allowsDowngrade: allowsDowngrade)
    }

    /// Follows at most 20 redirects, and none from https to http.
    public static let follow = RedirectPolicy.follow()
    /// Follows no redirects. A 302 is a response like any other, and a failure by default.
    public static let never = RedirectPolicy.follow(limit: 0)
}
