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
