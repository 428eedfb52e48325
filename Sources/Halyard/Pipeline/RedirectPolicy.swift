/// What a client, or a route for itself, does when a response sends it on (RFC 9110 section 15.4).
///
/// Whatever the policy, only http and https are followed; a request that goes to another scheme, host or port leaves its
/// credentials and all else that a log masks behind, for the rest of its way, or fails with ``HTTPError`` of kind
/// `foreignSecrets` where its body holds secrets; and a body that can be read once is not sent again.
public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects are followed, one after another: with one more the request fails with `HTTPError` of kind
    /// `tooManyRedirects`. With 0 none is, and the response is the one that redirects.
    public var limit: Int
    /// Whether https may lead to http. Without it such a redirect fails the request with `HTTPError` of kind
    /// `insecureRedirect`.
    public var allowsDowngrade: Bool

    /// Follows redirects, at most 20 unless given, and never from https to http unless told.
    public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: max(0, limit), allowsDowngrade: allowsDowngrade)
    }

    /// Follows at most 20, and none from https to http.
    public static let follow = RedirectPolicy.follow()
    /// Follows none: a 302 is a response as any other, and by default a failure.
    public static let never = RedirectPolicy.follow(limit: 0)
}
