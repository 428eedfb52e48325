public import Halyard

extension ClientPolicy {
    /// Limits how many requests of each key are sent in a time.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.rateLimit(10, per: .seconds(1), burst: 20)]))
    /// ```
    ///
    /// It is a token bucket: in any time `t`, at most `burst + t · count / time` requests are sent. Further requests wait
    /// for a token: by their ``RequestPriority``, and within a priority in the order in which they came. Retries,
    /// redirects and hedged requests need a token each.
    ///
    /// What the server says is respected as well. After a 429 or 503 with `Retry-After`, no request of the key is sent
    /// for that time. When its quotas are used up, by `RateLimit` and `RateLimit-Policy`
    /// (draft-ietf-httpapi-ratelimit-headers), none is sent until they are reset. Both are limited to an hour, after
    /// which the server is asked again.
    ///
    /// - Parameters:
    ///   - count: The number of requests, at least one.
    ///   - time: The time in which they may be sent.
    ///   - burst: The number of requests that may be sent at once after a quiet time, at least one. Defaults to `count`.
    ///   - maximumWait: The longest time that a request waits. One that would wait longer fails at once, with
    ///     ``HTTPError`` of kind `rateLimited`. Defaults to 60 seconds.
    ///   - key: What requests are counted by. Defaults to ``RequestKey/host``.
    public static func rateLimit(
        _ count: Int, per time: Duration, burst: Int? = nil, maximumWait: Duration = .seconds(60),
        by key: RequestKey = .host
    ) -> ClientPolicy {
        let bucket = TokenBucket(count, per: time, burst: burst ?? count)
        return ClientPolicy(.rate, RateLimiting(bucket, maximumWait: maximumWait, by: key))
    }
}
