import HalyardHTTP

/// What a client, or a route for itself, does when a request fails for a reason that may pass: it waits, and tries again.
///
/// ```swift
/// let client = HTTPClient(configuration: .init(retry: .upTo(3)))
/// static let pay = Route(path: "/payments", method: .post, params: [...]).retry(.upTo(3).withIdempotencyKey())
/// ```
///
/// Tried again is what is idempotent (GET, HEAD, PUT, DELETE, OPTIONS, TRACE; RFC 9110 section 9.2.2), and what has an
/// idempotency key; never a body that can be read once, never after the deadline, and not when the client's
/// ``RetryBudget`` is used up. The waits grow: each is anything between nothing and ``delay``, doubled with each attempt, up
/// to ``maximumDelay`` ("full jitter"); a server's `Retry-After` stands over it, up to ``retryAfterLimit``.
public struct RetryPolicy: Sendable, Hashable {
    /// The most attempts in all, the first included, wherever redirects lead. A redirect that is followed is none.
    public var attempts: Int
    /// The statuses that may pass: 408, 429, 500, 502, 503 and 504 unless given.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The longest first wait; half a second unless given.
    public var delay: Duration = .milliseconds(500)
    /// The longest wait that is one's own choice; 20 seconds unless given.
    public var maximumDelay: Duration = .seconds(20)
    /// The longest wait that a server may ask for; a minute unless given. What asks for more is waited for that long.
    public var retryAfterLimit: Duration = .seconds(60)
    /// Whether requests get an `Idempotency-Key` that is the same over all attempts, and are tried again whatever their
    /// method.
    public var sendsIdempotencyKey = false
    /// Whether waits are random. Without it a thousand clients that failed together come back together.
    public var hasJitter = true

    /// No second attempt: the default.
    public static let never = RetryPolicy(attempts: 1)
    /// So many attempts in all.
    public static func upTo(_ attempts: Int) -> RetryPolicy { RetryPolicy(attempts: max(1, attempts)) }

    /// The same, for requests of any method: each says by an `Idempotency-Key` that all its attempts are one. The server
    /// must know that field (draft-ietf-httpapi-idempotency-key-header), or it may do twice what was asked once.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendsIdempotencyKey = true
        return policy
    }

    private init(attempts: Int) { self.attempts = attempts }
}

/// How much of a client's sending may be second attempts: a server in trouble is not made worse by all that try again.
///
/// Each request puts in a share of an attempt, each retry takes a whole one out; what is put in beyond ``reserve`` is lost.
public struct RetryBudget: Sendable, Hashable {
    /// The share: 0.2 means one retry for five requests.
    public var ratio: Double
    /// What is there at the start, and the most that is ever there: so many retries at once.
    public var reserve: Double

    /// A fifth of the requests and ten at once, unless given.
    public init(ratio: Double = 0.2, reserve: Double = 10) {
        self.ratio = ratio
        self.reserve = reserve
    }

    /// No limit.
    public static let unlimited = RetryBudget(ratio: 1, reserve: .infinity)
}

/// What is left of a budget.
final class RetryAccount: Sendable {
    private let budget: RetryBudget
    private let left: Lock<Double>

    init(_ budget: RetryBudget) {
        self.budget = budget
        left = Lock(budget.reserve)
    }

    func deposit() { left.withLock { $0 = min($0 + budget.ratio, budget.reserve) } }

    /// Takes out one attempt, if there is one.
    func withdraw() -> Bool {
        left.withLock { left in
            guard left >= 1 else { return false }
            left -= 1
            return true
        }
    }
}
