/// A token bucket, which time or deposits refill: the generic cell rate algorithm. It has no side effects: the time is a
/// parameter.
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

    /// Makes a full bucket, which time refills.
    ///
    /// - Parameters:
    ///   - count: The number of tokens that are added in a time, at least one.
    ///   - time: The time, at most a year.
    ///   - burst: The number of tokens in a full bucket, at least one.
    package init(_ count: Int, per time: Duration, burst: Int) {
        // Within these limits no sum overflows.
        interval = min(max(.zero, time), .seconds(365 * 24 * 3600)) / max(1, count)
        tolerance = interval * (min(max(1, burst), 1 << 30) - 1)
        share = .zero
    }

    /// Makes a bucket that only deposits refill.
    ///
    /// - Parameters:
    ///   - ratio: The number of tokens that a deposit adds.
    ///   - capacity: The number of tokens in a full bucket. Less than one, it never has a token.
    ///   - isFull: Whether the bucket begins with all tokens, or else with none.
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

    /// Takes a token.
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

    /// Whether the bucket is full.
    package func isFull(at now: Duration) -> Bool { full.map { $0 <= now } ?? true }
}
