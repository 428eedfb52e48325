import HalyardHTTP

/// The base URL that a client has read last. Most clients send all requests to one base URL: it is read once for all of
/// them, and not for each.
final class BaseURLCache: Sendable {
    private let last = Lock<BaseURL?>(nil)

    /// Returns a base URL.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidURL`.
    func baseURL(_ text: String) throws(HTTPError) -> BaseURL {
        if let last = last.withLock({ $0 }), last.text == text { return last }
        let base = try BaseURL(text)
        last.withLock { $0 = base }
        return base
    }
}
