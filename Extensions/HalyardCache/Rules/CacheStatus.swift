/// What a cache did for a request (RFC 9211).
///
/// ```swift
/// let response = try await api.request(.catalogue).response()
/// print(response.cacheStatus?.isHit == true)
/// ```
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// Why a request was forwarded to the server.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The token of RFC 9211.
        public let description: String

        /// The cache does nothing for such a request: its method, its body's destination or its options.
        public static let bypass = Reason(description: "bypass")
        /// The method changes the resource.
        public static let method = Reason(description: "method")
        /// No response to the URL is stored.
        public static let uriMiss = Reason(description: "uri-miss")
        /// Responses to the URL are stored, but none for these header fields.
        public static let varyMiss = Reason(description: "vary-miss")
        /// The request asks for the server's answer.
        public static let request = Reason(description: "request")
        /// The stored response is stale, or must be validated for each use.
        public static let stale = Reason(description: "stale")
        /// The stored response has only other bytes of the body.
        public static let partial = Reason(description: "partial")
    }

    /// Whether the response came from the cache, without the server.
    public let isHit: Bool
    /// Why the request was forwarded. `nil` for a hit.
    public let forwarded: Reason?
    /// The status of the server's response, if it is another than that of the response: 304 after a validation. `nil`
    /// otherwise.
    public internal(set) var forwardedStatus: Int?
    /// How long the response is still fresh, in whole seconds. Negative for a stale response. `nil` if it has no
    /// lifetime.
    public internal(set) var timeToLive: Int?
    /// Whether the response was stored.
    public internal(set) var isStored = false
    /// More about the decision, such as `stale-if-error`. `nil` for nothing more.
    public internal(set) var detail: String?

    static let hit = CacheStatus(isHit: true, forwarded: nil)

    static func forwarded(_ reason: Reason) -> CacheStatus { CacheStatus(isHit: false, forwarded: reason) }

    /// The value of a field `Cache-Status`: `Halyard; hit; ttl=30`.
    public var description: String {
        var parts = ["Halyard", isHit ? "hit" : "fwd=\(forwarded?.description ?? "bypass")"]
        if let forwardedStatus { parts.append("fwd-status=\(forwardedStatus)") }
        if isStored { parts.append("stored") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if let detail { parts.append("detail=\(detail)") }
        return parts.joined(separator: "; ")
    }
}

extension HTTPResponse {
    /// What the client's cache did for the request. `nil` if the client has no cache.
    public var cacheStatus: CacheStatus? { cacheRecord as? CacheStatus }
}
