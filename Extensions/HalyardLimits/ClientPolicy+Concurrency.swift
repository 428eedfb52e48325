public import Halyard

extension ClientPolicy {
    /// Limits how many requests to each host are sent at once.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.concurrency(perHost: 4)]))
    /// ```
    ///
    /// Further requests wait: by their ``RequestPriority``, and within a priority in the order in which they came. They
    /// wait until their deadline at most, and leave the queue at once when they are cancelled. A request counts until
    /// its response has arrived; a stream, until its header fields have.
    ///
    /// - Parameter limit: The number of requests to a scheme, host and port at once, at least one.
    public static func concurrency(perHost limit: Int) -> ClientPolicy { concurrency(limit, by: .host) }

    /// Limits how many requests of each key are sent at once. Further requests wait, as with ``concurrency(perHost:)``.
    ///
    /// - Parameters:
    ///   - limit: The number of requests with the same key at once, at least one.
    ///   - key: What requests are counted by.
    public static func concurrency(_ limit: Int, by key: RequestKey) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, by: key, name: "the concurrency limit"))
    }

    /// Limits how many requests of each key are sent at once, and how many may wait. Further requests fail at once.
    ///
    /// A bulkhead keeps a slow server from taking up the whole program: when it is full, its requests fail with
    /// ``HTTPError`` of kind `queueFull`, and those to other servers go on.
    ///
    /// - Parameters:
    ///   - limit: The number of requests with the same key at once, at least one.
    ///   - queue: The number of requests with the same key that may wait. 0 for none.
    ///   - key: What requests are counted by. Defaults to ``RequestKey/host``.
    public static func bulkhead(_ limit: Int, queue: Int, by key: RequestKey = .host) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, queue: queue, by: key, name: "the bulkhead"))
    }
}
