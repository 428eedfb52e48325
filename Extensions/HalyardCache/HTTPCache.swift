public import HalyardFoundation
import HalyardHTTP

/// A private cache of responses (RFC 9111).
///
/// ```swift
/// let client = HTTPClient(configuration: .init(policies: [.cache(.memory(limit: 32 << 20))]))
/// ```
///
/// Responses to GET are stored according to their `Cache-Control`, `Expires` and validators. A fresh response is used
/// without asking the server; a stale one is validated with its `ETag` or `Last-Modified`. `stale-while-revalidate` and
/// `stale-if-error` (RFC 5861) apply. A successful request with a method other than GET, HEAD, OPTIONS and TRACE
/// removes the responses to its URL, and to the `Location` and `Content-Location` of its response at the same origin.
///
/// A response to a request with credentials is used only for requests with the same credentials. These are
/// `Authorization`, API keys and all other headers that a log masks, and cookies unless the response is `public`.
///
/// Only bodies in memory are stored and used. Downloads to files, streams, uploads with any method except GET, and
/// event streams bypass the cache.
public final class HTTPCache: Sendable {
    let store: any CacheStore
    let estimates: Bool
    /// The keys whose responses are validated in the background.
    let validations = Lock<Set<CacheKey>>([])

    init(_ store: any CacheStore, _ estimates: Bool) {
        self.store = store
        self.estimates = estimates
    }

    /// Returns a cache in memory.
    ///
    /// - Parameters:
    ///   - limit: The maximum total size of the responses in bytes. The least recently used one is removed first. A
    ///     response of more than a quarter of the limit is not stored. Defaults to 64 MiB.
    ///   - estimates: Whether a response that states no lifetime gets a tenth of the time since its `Last-Modified`, at
    ///     most a day. Defaults to `false`: such a response is not used without asking the server, because an API that
    ///     states no lifetime usually does not expect its responses to be kept.
    public static func memory(limit: Int = 64 << 20, estimatingLifetimes estimates: Bool = false) -> HTTPCache {
        HTTPCache(MemoryStore(limit: limit), estimates)
    }

    /// Returns a cache in a directory, which outlives the process. Several processes can share it.
    ///
    /// Only the user can read the directory and its files. They contain URLs, headers and bodies, but no credentials of
    /// requests. A file is replaced as a whole: after a crash, it has the old or the new responses. A damaged file is
    /// treated as missing. Responses are written in the background, so a response that has just been received may be
    /// lost if the process ends; see ``flush()``.
    ///
    /// - Parameters:
    ///   - folder: The URL of the directory. It is created if it is missing. It should contain nothing else.
    ///   - limit: The maximum total size of the files of all processes, in bytes. The least recently used are removed
    ///     first. A response of more than a quarter of the limit is not stored. Defaults to 256 MiB.
    ///   - estimates: As for ``memory(limit:estimatingLifetimes:)``. Defaults to `false`.
    /// - Throws: ``HTTPError`` of kind `unwritableFile` if the directory cannot be created, read or written.
    public static func disk(
        at folder: URL, limit: Int = 256 << 20, estimatingLifetimes estimates: Bool = false
    ) throws(HTTPError) -> HTTPCache {
        HTTPCache(try DiskStore(folder, limit: limit, estimates), estimates)
    }

    /// Waits until all responses have been written to files. For a cache in memory, it returns at once.
    public func flush() async { await store.flush() }

    /// The error of the last response if it could not be written to its file; otherwise `nil`.
    ///
    /// A failed write does not fail a request.
    public var writeError: HTTPError? { store.error }

    /// Removes all responses. This waits for the disk, and so do ``remove(_:)`` and ``byteCount``. Requests never do so
    /// on a thread of the concurrency pool.
    public func removeAll() { store.removeAll() }

    /// Removes the responses to a URL, whatever their headers and credentials.
    public func remove(_ url: URL) { store.remove(url: CacheKey.text(of: url.absoluteString)) }

    /// The number of bytes that the responses use. For a cache in a directory, this is the size of its files.
    public var byteCount: Int { store.byteCount }
}

extension HTTPCache {
    /// Removes the responses that a request with an unsafe method has made invalid (RFC 9111 section 4.4).
    func invalidate(_ request: HTTPRequest, _ response: HTTPResponse) async {
        guard (200..<400).contains(response.status) else { return }
        await store.invalidate(url: CacheKey.text(of: request.address.text))
        for name in ["Location", "Content-Location"] {
            guard let value = response.headers.values(for: name).first,
                let url = URL(string: value, relativeTo: request.url)?.absoluteURL,
                (try? Origin(ofURL: url.absoluteString)) == request.origin
            else { continue }
            await store.invalidate(url: CacheKey.text(of: url.absoluteString))
        }
    }
}
