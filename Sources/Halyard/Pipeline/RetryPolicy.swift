import HalyardHTTP

/// Decides when a failed request is retried: a policy of a client or a route.
///
/// ```swift
/// let client = HTTPClient(configuration: .init(retry: .upTo(attempts: 3)))
/// static let pay = Route(path: "/payments", method: .post, params: [...])
///     .retry(.upTo(attempts: 3).withIdempotencyKey())
/// ```
///
/// A request is retried if its method is idempotent (GET, HEAD, PUT, DELETE, OPTIONS, TRACE; RFC 9110 section 9.2.2),
/// if it has an idempotency key, or if the server has
/// certainly not processed it (``HTTPError/mayHaveBeenProcessed``). It is not retried if its body can be read only once, after the deadline, or if the
/// client's ``RetryBudget`` is used up.
///
/// The delay before a retry is random, from zero to a maximum ("full jitter"). The maximum begins with ``delay`` and
/// doubles with each attempt, up to ``maximumDelay``. A server's `Retry-After` takes precedence; a request is never sent
/// sooner. See ``retryAfterLimit``.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, with the first one, over all redirects. A redirect that is followed, and a
    /// request that is sent again with renewed credentials, do not count as attempts. ``HTTPResponse/sendCount`` counts
    /// them.
    public var attempts: Int
    /// The statuses that are retried. Defaults to 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The delay before the first retry, or its upper bound with jitter. It doubles with each retry. Defaults to half a
    /// second.
    public var delay: Duration = .milliseconds(500)
    /// The limit of the delay that doubles. Defaults to 20 seconds.
    public var maximumDelay: Duration = .seconds(20)
    /// The maximum delay for a server's `Retry-After`. If the server asks for more, the request is not retried: it fails
    /// at once with the status, and ``HTTPError/retryDelay`` is the time that the server asks for. Defaults to 60 seconds.
    public var retryAfterLimit: Duration = .seconds(60)
    /// Whether requests with any method are retried, with an `Idempotency-Key` that is the same in all attempts.
    /// Defaults to `false`.
    public var sendsIdempotencyKey = false
    /// Whether delays are random. Defaults to `true`. Otherwise clients that fail together retry together.
    public var hasJitter = true

    /// No retries. This is the default.
    public static let never = RetryPolicy(attempts: 1)
    /// Returns a policy with a maximum number of attempts.
    ///
    /// - Parameter attempts: The maximum number of attempts, with the first one.
    public static func upTo(attempts: Int) -> RetryPolicy { RetryPolicy(attempts: max(1, attempts)) }

    /// Returns a copy for requests with any method. They have an `Idempotency-Key`.
    ///
    /// The server must support the field (draft-ietf-httpapi-idempotency-key-header). Otherwise it may execute a
    /// request twice.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendsIdempotencyKey = true
        return policy
    }

    private init(attempts: Int) { self.attempts = attempts }
}

/// Limits the retries of a client, so that they do not overload a server that fails.
///
/// It is a token bucket. Each request whose policy allows retries adds ``ratio`` tokens, up to ``reserve``. Each retry
/// takes one.
public struct RetryBudget: Sendable, Hashable {
    /// The number of retries that each request adds. 0.2 means one retry for five requests.
    public var ratio: Double
    /// The initial and maximum content of the budget: the number of retries that are possible at once.
    public var reserve: Double

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - ratio: The number of retries that each request adds. Defaults to 0.2.
    ///   - reserve: The maximum number of retries at once. Defaults to 10.
    public init(ratio: Double = 0.2, reserve: Double = 10) {
        self.ratio = ratio
        self.reserve = reserve
    }

    /// No limit.
    public static let unlimited = RetryBudget(ratio: 1, reserve: .infinity)

    /// The retries that a client may send. It begins with all of them.
    var bucket: TokenBucket { TokenBucket(ratio: ratio, capacity: reserve, isFull: true) }
}
