/// A token bucket, as a clock sees it: the generic cell rate algorithm. It has no side effects: the time is a parameter.
///
/// It stores when the bucket is full again. Taking a token moves that moment by the time of one token, and a token is
/// left as long as the moment is at most a whole bucket away. Durations are exact, so that nothing is lost by rounding.
struct TokenBucket: Sendable {
    /// The time in which one token is added.
    let interval: Duration
    /// The time in which an empty bucket gets all tokens but one.
    private let tolerance: Duration
    /// The moment at which the bucket is full. `nil` for a bucket that was never used.
    private var full: Duration?

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - count: The number of tokens that are added in a time, at least one.
    ///   - time: The time, at most a year.
    ///   - burst: The number of tokens in a full bucket, at least one.
    init(_ count: Int, per time: Duration, burst: Int) {
        // Within these limits no sum overflows.
        interval = min(max(.zero, time), .seconds(365 * 24 * 3600)) / max(1, count)
        tolerance = interval * (min(max(1, burst), 1 << 30) - 1)
    }

    /// Returns the time until there is a token. Zero if there is one.
    func delay(at now: Duration) -> Duration { max(.zero, (full ?? now) - tolerance - now) }

    /// Takes a token.
    mutating func take(at now: Duration) { full = max(full ?? now, now) + interval }

    /// Gives back a token that was taken and not used.
    mutating func giveBack() { full = full.map { $0 - interval } }

    /// Whether the bucket is full.
    func isFull(at now: Duration) -> Bool { full.map { $0 <= now } ?? true }
}
