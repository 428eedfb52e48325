import HalyardHTTP

/// Where a cache keeps its responses. All members may be called from any thread, and none throws: a response that
/// cannot be read is not there.
protocol CacheStore: Sendable {
    /// The responses of a key, the latest first.
    func responses(for key: CacheKey) async -> [StoredResponse]

    /// Stores a response in place of those with the same values of the fields that vary, and the same range.
    func store(_ response: StoredResponse, for key: CacheKey) async

    /// Removes all responses of a URL, as ``remove(url:)`` does, without blocking the thread.
    func invalidate(url: String) async

    /// Removes all responses of a URL.
    func remove(url: String)

    func removeAll()

    var byteCount: Int { get }

    /// The error of the last write. `nil` if it succeeded, or if nothing is written.
    var error: HTTPError? { get }

    /// Waits until all responses are written.
    func flush() async
}

extension [StoredResponse] {
    /// The number of responses to one URL that are kept: the latest.
    private static let limit = 16

    /// Puts a response in the place of those that it replaces.
    mutating func put(_ response: StoredResponse) {
        removeAll { $0.varying == response.varying && ($0.range == response.range || response.range == nil) }
        insert(response, at: 0)
        if count > Self.limit { removeLast(count - Self.limit) }
    }
}
