import HalyardHTTP

/// Decides when a client or a route retries a failed request.
///
/// ```swift
/// let client = HTTPClient(configuration: .init(retry: .upTo(attempts: 3)))
/// static let pay = Route(path: "/payments", method: .post, params: [...])
///     .retry(.upTo(attempts: 3).withIdempotencyKey())
/// ```
///
/// A request is retried if its method is idempotent (GET, HEAD, PUT, DELETE, OPTIONS, TRACE; RFC 9110 section 9.2.2),
/// if it has an idempotency key, if the server has certainly not processed it (``HTTPError/mayHaveBeenProcessed``), or
/// if the policy allows any method (``withAnyMethod()``). It is not retried if its body can be read only once, after
/// the deadline, or if the client's ``RetryBudget`` is used up.
///
/// The delay before a retry is random, between zero and a maximum ("full jitter"). The maximum starts at ``delay`` and
/// doubles with each attempt, up to ``maximumDelay``. A server's `Retry-After` takes precedence: a request is never
/// sent sooner. See ``retryAfterLimit``.
public struct RetryPolicy: Sendable, Equatable {
    /// The maximum number of attempts, including the first, over all redirects. Redirects that are followed and sends
    /// with renewed credentials do not count as attempts. ``HTTPResponse/sendCount`` includes them.
    public var attempts: Int
    /// The statuses that are retried. Defaults to 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The delay before the first retry, or its upper bound with jitter. It doubles with each retry. Defaults to half a
    /// second.
    public var delay: Duration = .milliseconds(500)
    /// The upper limit of the doubling delay. Defaults to 20 seconds.
    public var maximumDelay: Duration = .seconds(20)
    /// The longest `Retry-After` that a retry waits for. If the server asks for more, the request is not retried: it
    /// fails at once with the status, and ``HTTPError/retryDelay`` is the time that the server asks for. Defaults to 60
    /// seconds.
    public var retryAfterLimit: Duration = .seconds(60)
    /// The maximum time that a request waits for a network. Defaults to `nil`: it does not wait. See
    /// ``waitingForNetwork(_:)``.
    public var networkWait: Duration?
    /// Whether requests with any method are retried, with an `Idempotency-Key` that stays the same in all attempts.
    /// Defaults to `false`.
    public var sendsIdempotencyKey = false
    /// Whether requests with any method are retried, without a key. Defaults to `false`. See ``withAnyMethod()``.
    public var allowsAnyMethod = false
    /// Whether delays are random. Defaults to `true`. Without jitter, clients that fail together retry together.
    public var hasJitter = true

    /// A policy without retries. This is the default.
    public static let never = RetryPolicy(attempts: 1)
    /// Returns a policy with a maximum number of attempts, including the first.
    public static func upTo(attempts: Int) -> RetryPolicy { RetryPolicy(attempts: max(1, attempts)) }

    /// Returns a copy that retries requests with any method. They carry an `Idempotency-Key`.
    ///
    /// The server must support this header (draft-ietf-httpapi-idempotency-key-header). Otherwise it may execute a
    /// request twice.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendsIdempotencyKey = true
        return policy
    }

    /// Returns a copy that also retries methods that are not idempotent, such as POST, without an `Idempotency-Key`.
    ///
    /// The server may execute such a request twice, so use it only where that does no harm, such as for a search.
    public func withAnyMethod() -> RetryPolicy {
        var policy = self
        policy.allowsAnyMethod = true
        return policy
    }

    /// Returns a copy that waits while the system has no network, up to `limit` for each request.
    ///
    /// ```swift
    /// static let save = Route(path: "/notes", method: .put).retry(.upTo(attempts: 3).waitingForNetwork(.seconds(300)))
    /// ```
    ///
    /// A request that fails while the system has no route to its server is sent again as soon as there is one. This does
    /// not count as an attempt, and does not use the ``RetryBudget``. After the limit, the rest of the policy applies.
    /// The log has an event of kind ``LogEvent/Kind/waitingForNetwork``.
    ///
    /// The system reports changes of its network: on Apple's systems to `NWPathMonitor`, on Linux to rtnetlink(7). Where
    /// it does not, as in some sandboxes, the request is sent up to ten seconds later. A new network may have no name
    /// servers yet: for five seconds, a request that cannot connect is sent again every half second.
    ///
    /// The route is that of the URL's host: to its address, or for a name, a default route. So in a network without a
    /// default route, also behind a proxy, a request to a name waits after each failure. A request to `localhost` or a
    /// loopback address never does.
    public func waitingForNetwork(_ limit: Duration) -> RetryPolicy {
        var policy = self
        policy.networkWait = limit
        return policy
    }

    /// Whether a request may be sent again.
    var mayRetry: Bool { attempts > 1 || networkWait != nil }

    private init(attempts: Int) { self.attempts = attempts }
}

/// Limits the retries of a client, so that they do not overload a failing server.
///
/// ```swift
/// let patient = HTTPClient(configuration: .init(retry: .upTo(attempts: 3), retryBudget: RetryBudget(ratio: 0.5)))
/// ```
///
/// The budget is a token bucket. Each request whose policy allows retries adds ``ratio`` tokens, up to ``reserve``.
/// Each retry takes one.
public struct RetryBudget: Sendable, Equatable {
    /// The number of retries that each request adds.
    public var ratio: Double
    /// The initial and maximum size of the budget: the number of retries that are possible at once.
    public var reserve: Double

    /// Creates a budget. Defaults to one retry for five requests, and ten at once.
    public init(ratio: Double = 0.2, reserve: Double = 10) {
        self.ratio = ratio
        self.reserve = reserve
    }

    /// A budget without a limit.
    public static let unlimited = RetryBudget(ratio: 1, reserve: .infinity)

    /// The retries that a client may send. It begins with all of them.
    var bucket: TokenBucket { TokenBucket(ratio: ratio, capacity: reserve, isFull: true) }
}

/// A token bucket, which time or deposits refill: the generic cell rate algorithm. It has no side effects: the time is
/// a parameter.
///
/// It stores when the bucket is full again. Taking a token moves that moment by the time of one token, and a token is
/// left as long as the moment is at most a whole bucket away. A deposit moves it back. A bucket that only deposits
/// refill has the time zero always. Durations are exact, so that nothing is lost by rounding.
package struct TokenBucket: Sendable {
    /// The time in which one token is added.
    package let interval: Duration
    /// What a deposit adds.
    private let share: Duration
    /// The time in which an empty bucket gets all tokens but one.
    private let tolerance: Duration
    /// The moment at which the bucket is full. `nil` for a bucket that was never used.
    private var full: Duration?

    /// Makes a full bucket of `burst` tokens, at least one, to which time adds `count` tokens, at least one, in each
    /// `time`, at most a year.
    package init(_ count: Int, per time: Duration, burst: Int) {
        // Within these limits no sum overflows.
        interval = min(max(.zero, time), .seconds(365 * 24 * 3600)) / max(1, count)
        tolerance = interval * (min(max(1, burst), 1 << 30) - 1)
        share = .zero
    }

    /// Makes a bucket that only deposits refill, each with `ratio` tokens. It begins with all tokens or with none. With
    /// a capacity of less than one it never has a token.
    package init(ratio: Double, capacity: Double, isFull: Bool) {
        // Within this limit no sum overflows.
        let limit = Double(1 << 40)
        let size = Duration.seconds(min(max(0, capacity), limit))
        interval = .seconds(1)
        share = .seconds(min(max(0, ratio), limit))
        // Three times a third is less than one by a rounding error.
        tolerance = size - interval + .nanoseconds(1)
        full = isFull ? nil : size
    }

    /// Returns the time until there is a token. Zero if there is one.
    package func delay(at now: Duration) -> Duration { max(.zero, (full ?? now) - tolerance - now) }

    package mutating func take(at now: Duration) { full = max(full ?? now, now) + interval }

    /// Takes a token of a bucket that only deposits refill. Returns `false` if there is none.
    package mutating func tryTake() -> Bool {
        guard delay(at: .zero) == .zero else { return false }
        take(at: .zero)
        return true
    }

    /// Adds the share of a deposit, up to a full bucket.
    package mutating func deposit() { full = full.map { max(.zero, $0 - share) } }

    /// Gives back a token that was taken and not used.
    package mutating func giveBack() { full = full.map { $0 - interval } }

    package func isFull(at now: Duration) -> Bool { full.map { $0 <= now } ?? true }
}
