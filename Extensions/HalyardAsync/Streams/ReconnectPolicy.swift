package import HalyardHTTP

/// Decides whether and when an event stream connects again. See ``ResponseEvents/reconnecting(_:)``.
///
/// The delay begins with the server's `retry`, or with ``delay``. It doubles with each attempt that brings no event, up
/// to ``maximumDelay``. It is never shorter than the server's `retry`. Up to half of the delay is added at random, so
/// that the clients of a server do not all connect at once.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The maximum number of attempts in sequence that bring no event. An event resets the number, and so does a stream
    /// that was open for ``stableTime``. With 0 the stream does not connect again.
    public var attempts: Int
    /// The delay before the first attempt, unless the server sets it with `retry`. Defaults to 3 seconds.
    public var delay: Duration = .seconds(3)
    /// The maximum of the delay that doubles, without its random part. Defaults to 60 seconds. A longer `retry` of the
    /// server is not shortened.
    public var maximumDelay: Duration = .seconds(60)
    /// The time after which an open stream is a success, also without an event. Defaults to 10 seconds.
    ///
    /// Many servers are silent, or send only comments, until something happens, and many proxies end each connection
    /// after a minute. Such a stream is read without a limit. A server that ends each stream at once is not.
    public var stableTime: Duration = .seconds(10)
    /// Whether a request is sent again if its method is not idempotent, such as POST. Defaults to `false`.
    public var allowsAnyMethod = false

    /// At most ten attempts in sequence.
    public static let standard = ReconnectPolicy(attempts: 10)

    /// Returns a policy with a maximum number of attempts in sequence.
    ///
    /// - Parameter attempts: The maximum number of attempts that bring no event.
    public static func upTo(attempts: Int) -> ReconnectPolicy { ReconnectPolicy(attempts: max(0, attempts)) }

    /// Returns a copy for requests with any method.
    ///
    /// A POST is then sent again after each interruption, with its body and `Last-Event-ID`. The server must be able to
    /// continue the stream, or the request is executed twice.
    public func withAnyMethod() -> ReconnectPolicy {
        var policy = self
        policy.allowsAnyMethod = true
        return policy
    }

    private init(attempts: Int) { self.attempts = attempts }

    /// Returns the delay before an attempt. It has no side effects.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt in sequence, from 1.
    ///   - requested: The server's `retry`. `nil` if there is none.
    ///   - random: A random number from 0 up to, but not including, 1.
    package func delay(before attempt: Int, requested: Duration?, random: Double) -> Duration {
        // The exponent is limited, so that the product is a valid Duration.
        let doubled = min((requested ?? delay) * Double(1 << min(attempt - 1, 20)), maximumDelay)
        let base = max(doubled, requested ?? .zero)
        return base + base * (random / 2)
    }
}

/// Counts the attempts of a policy in sequence that bring nothing.
package struct ReconnectAttempts: Sendable {
    let policy: ReconnectPolicy
    private(set) var count = 0
    /// The time at which the connection was made.
    private var start: Duration?

    package init(_ policy: ReconnectPolicy) { self.policy = policy }

    /// Records that a connection was made.
    package mutating func begin(_ time: PipelineTime) { start = time.now() }

    /// Ends the connection, and returns the delay before the next attempt. `nil` after too many.
    ///
    /// - Parameters:
    ///   - hasReceived: Whether the connection has brought something, which resets the number of attempts.
    ///   - requested: The server's `retry`. `nil` if there is none.
    package mutating func delay(
        after hasReceived: Bool, requested: Duration? = nil, _ time: PipelineTime
    ) -> Duration? {
        if hasReceived || start.map({ time.now() - $0 >= policy.stableTime }) ?? false { count = 0 }
        start = nil
        guard count < policy.attempts else { return nil }
        count += 1
        return policy.delay(before: count, requested: requested, random: time.random())
    }
}
