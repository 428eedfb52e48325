import HalyardHTTP

/// The hedged requests that a policy may still send: a share of all requests that it could hedge.
///
/// It begins with none. So there are never more than the share, also not in the beginning.
struct HedgeBudget: Sendable {
    /// The number of hedged requests that each request adds.
    let ratio: Double
    /// The number that is saved up at most, so that a quiet time does not lead to a burst.
    static let most = 10.0

    private var balance = 0.0

    /// Makes a budget without hedged requests.
    ///
    /// - Parameter ratio: The share, from 0 to 1.
    init(_ ratio: Double) { self.ratio = min(max(0, ratio), 1) }

    /// Counts a request that could be hedged.
    mutating func deposit() { balance = min(balance + ratio, Self.most) }

    /// Takes a hedged request from the budget. Returns `false` if there is none.
    mutating func tryWithdraw() -> Bool {
        // A sum of shares may be too small by a rounding error.
        guard balance >= 1 - 1e-9 else { return false }
        balance -= 1
        return true
    }
}
