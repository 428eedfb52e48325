import HalyardHTTP

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
}

/// The tokens that are left in a client's ``RetryBudget``.
final class RetryTokens: Sendable {
    private let budget: RetryBudget
    private let balance: Lock<Double>

    init(_ budget: RetryBudget) {
        self.budget = budget
        balance = Lock(budget.reserve)
    }

    func deposit() { balance.withLock { $0 = min($0 + budget.ratio, budget.reserve) } }

    /// Takes one retry from the budget. Returns `false` if there is none.
    func tryWithdraw() -> Bool {
        balance.withLock { balance in
            guard balance >= 1 else { return false }
            balance -= 1
            return true
        }
    }
}
