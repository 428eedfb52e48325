public import Halyard

/// How one request uses the client's cache.
///
/// ```swift
/// let catalogue = Route(path: "/catalogue").cache(.reload)
/// ```
public struct CacheMode: Sendable, Hashable {
    enum Code: Sendable, Hashable {
        case standard, revalidate, reload, ignore, cacheOnly
        case lifetime(Duration)
    }

    let code: Code

    /// The rules of RFC 9111: the default.
    public static let standard = CacheMode(code: .standard)
    /// A stored response is used only after the server has confirmed it. The request has `Cache-Control: max-age=0`.
    public static let revalidate = CacheMode(code: .revalidate)
    /// No stored response is used, and the server's is stored. The request has `Cache-Control: no-cache`.
    public static let reload = CacheMode(code: .reload)
    /// The cache is neither read nor written.
    public static let ignore = CacheMode(code: .ignore)
    /// Only a stored response is used, however old it is. Without one, the response is a 504, and nothing is sent.
    public static let cacheOnly = CacheMode(code: .cacheOnly)

    /// A lifetime in place of the one that the response states. The response is stored even if it states none, but not
    /// with `no-store`.
    ///
    /// - Parameter lifetime: The lifetime, from the age that the response has.
    public static func ttl(_ lifetime: Duration) -> CacheMode { CacheMode(code: .lifetime(lifetime)) }

    /// The `Cache-Control` of a request, as browsers send it. `nil` for none.
    var requestControl: String? {
        switch code {
        case .revalidate: "max-age=0"
        case .reload: "no-cache"
        default: nil
        }
    }

    /// The lifetime of ``ttl(_:)`` in seconds. `nil` for another mode.
    var lifetime: Double? {
        if case .lifetime(let lifetime) = code { lifetime / .seconds(1) } else { nil }
    }
}

extension RequestConfigurable {
    /// Returns a copy that uses the client's cache in another way. Without a cache it makes no difference.
    public func cache(_ mode: CacheMode) -> Self { configured { $0[CacheMode.self] = mode } }
}
