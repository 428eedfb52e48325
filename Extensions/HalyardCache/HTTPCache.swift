public import HalyardFoundation
import HalyardHTTP

/// A private cache of responses (RFC 9111).
///
/// ```swift
/// let client = HTTPClient(configuration: .init(policies: [.cache(.memory(limit: 32 << 20))]))
/// ```
///
/// Responses to GET are stored as their `Cache-Control`, `Expires` and validators say. A fresh one is used without the
/// server; a stale one is validated with its `ETag` or `Last-Modified`. `stale-while-revalidate` and `stale-if-error`
/// (RFC 5861) apply. A successful request with another method than GET, HEAD, OPTIONS and TRACE removes the responses
/// of its URL, and of the `Location` and `Content-Location` of its response at the same origin.
///
/// A response to a request with credentials is used only for requests with the same credentials. These are
/// `Authorization`, API keys and all other header fields that a log masks, and cookies unless the response is
/// `public`.
///
/// Only bodies in memory are stored and used. Downloads to files, streams, uploads of any method but GET, and
/// event streams pass by the cache.
public final class HTTPCache: Sendable {
    let store: any CacheStore
    let heuristic: CacheHeuristic
    /// The keys whose responses are validated in the background.
    let validations = Lock<Set<CacheKey>>([])

    init(_ store: any CacheStore, _ heuristic: CacheHeuristic) {
        self.store = store
        self.heuristic = heuristic
    }

    /// Returns a cache in memory.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes that the responses may take. The one that was used longest ago is removed first.
    ///     A response of more than a quarter of it is not stored. Defaults to 64 MiB.
    ///   - heuristic: How the lifetime of a response is estimated that states none. Defaults to
    ///     ``CacheHeuristic/never``.
    /// - Returns: The cache.
    public static func memory(limit: Int = 64 << 20, heuristic: CacheHeuristic = .never) -> HTTPCache {
        HTTPCache(MemoryStore(limit: limit), heuristic)
    }

    /// Removes all responses.
    public func removeAll() { store.removeAll() }

    /// Removes the responses to a URL, with any header fields and credentials.
    ///
    /// - Parameter url: The URL.
    public func remove(_ url: URL) { store.remove(url: CacheKey.text(of: url.absoluteString)) }

    /// The number of bytes that the responses take.
    public var byteCount: Int { store.byteCount }
}
