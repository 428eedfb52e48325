public import Halyard

extension ClientPolicy {
    /// Lets equal requests that are made at the same time share one transfer.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.coalescing()]))
    /// ```
    ///
    /// A GET or HEAD that is made while an equal one is being sent gets the same response. Two requests are equal if
    /// they have the same client, method, URL, limit for the body, connection timeouts and header fields. Credentials and
    /// cookies are header fields too: a user never gets the response of another. Requests with a body, streams and
    /// downloads to files pass by.
    ///
    /// Each reader can be cancelled by itself, and has its own deadline. The transfer is cancelled when the last reader
    /// has left. Readers share an error as well; each of them then retries by its own policy. After a request that may
    /// change something (any method but GET, HEAD, OPTIONS and TRACE), new requests to its origin do not join transfers
    /// that began before it ended.
    ///
    /// The transfer has the ``RequestPriority`` of the first reader, also if one of higher priority joins it.
    ///
    /// The response of all readers but the first has the `sendCount` 0, and no metrics.
    ///
    /// - Parameter ignored: The names of header fields that may differ, such as an ID for each request. The transfer has
    ///   those of the first request. Fields with secrets, such as `Authorization` and `Cookie`, always count. Defaults
    ///   to none.
    public static func coalescing(ignoring ignored: Set<String> = []) -> ClientPolicy {
        ClientPolicy(.coalescing, Coalescing(ignoring: Set(ignored.map { $0.lowercased() })))
    }
}
