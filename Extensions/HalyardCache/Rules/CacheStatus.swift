public import Halyard

/// What the cache did for a request (RFC 9211).
///
/// ```swift
/// let response = try await api.request(.catalogue).response()
/// print(response.cacheStatus?.isHit == true)
/// ```
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// The reason why a request was forwarded to the server.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The token defined by RFC 9211.
        public let description: String

        /// The cache does not handle such a request, because of its method, its body's destination or its options.
        public static let bypass = Reason(description: "bypass")
        /// The method changes the resource.
        public static let method = Reason(description: "method")
        /// No response to the URL is stored.
        public static let uriMiss = Reason(description: "uri-miss")
        /// Responses to the URL are stored, but none for these headers.
        public static let varyMiss = Reason(description: "vary-miss")
        /// The request asks for the server's answer.
        public static let request = Reason(description: "request")
        /// The stored response is stale or must be validated for each use.
        public static let stale = Reason(description: "stale")
        /// The stored response contains only other bytes of the body.
        public static let partial = Reason(description: "partial")
    }

    /// Whether the response came from the cache, without the server.
    public var isHit: Bool { forwarded == nil }
    /// The reason why the request was forwarded; `nil` for a hit.
    public let forwarded: Reason?
    /// The status of the server's response if it differs from that of the response: 304 after a validation. Otherwise
    /// `nil`.
    public internal(set) var forwardedStatus: Int?
    /// The time for which the response is still fresh, in whole seconds; negative if it is stale. `nil` if it has no
    /// lifetime.
    public internal(set) var timeToLive: Int?
    /// Whether the response was stored.
    public internal(set) var isStored = false
    /// More about the decision, such as `stale-if-error`; `nil` if there is nothing more to say.
    public internal(set) var detail: String?

    /// The value of a `Cache-Status` header: `Halyard;hit;ttl=30`.
    public var description: String {
        var item = StructuredItem(.token("Halyard"))
        if let forwarded {
            item.parameters["fwd"] = .token(forwarded.description)
        } else {
            item.parameters["hit"] = true
        }
        item.parameters["fwd-status"] = forwardedStatus.map { .integer(Int64($0)) }
        if isStored { item.parameters["stored"] = true }
        item.parameters["ttl"] = timeToLive.map { .integer(min(max(Int64($0), -999_999_999), 999_999_999_999)) }
        item.parameters["detail"] = detail.map { .token($0) }
        return (try? item.fieldValue()) ?? "Halyard"
    }
}

extension HTTPResponse {
    /// What the client's cache did for the request; `nil` if the client has no cache.
    public var cacheStatus: CacheStatus? { notes.cacheRecord as? CacheStatus }
}

/// The way in which a request uses the client's cache.
///
/// ```swift
/// let catalogue = Route(path: "/catalogue").cache(.reload)
/// ```
public enum CacheMode: Sendable, Hashable {
    /// Follows the rules of RFC 9111. This is the default.
    case standard
    /// Uses a stored response only after the server has confirmed it. The request has `Cache-Control: max-age=0`.
    case revalidate
    /// Uses no stored response, and stores the server's. The request has `Cache-Control: no-cache`.
    case reload
    /// Neither reads nor writes the cache.
    case ignore
    /// Uses only a stored response, however old. If there is none, the response is a 504, and nothing is sent.
    case cacheOnly
    /// Replaces the lifetime that the response states, counted from the response's current age. The response is stored
    /// even if it states no lifetime, but not if it has `no-store`.
    case ttl(Duration)

    /// The `Cache-Control` of a request, as browsers send it. `nil` for none.
    var requestControl: String? {
        switch self {
        case .revalidate: "max-age=0"
        case .reload: "no-cache"
        default: nil
        }
    }

    /// The lifetime of ``ttl(_:)`` in seconds. `nil` for another mode.
    var lifetime: Double? {
        if case .ttl(let lifetime) = self { lifetime / .seconds(1) } else { nil }
    }
}

extension RequestConfigurable {
    /// Returns a copy that uses the client's cache in a different mode. Without a cache, the mode has no effect.
    public func cache(_ mode: CacheMode) -> Self { configured { $0[CacheMode.self] = mode } }
}
