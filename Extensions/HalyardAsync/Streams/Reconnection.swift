import HalyardCodable
package import HalyardHTTP

/// The place at which a connection of an event stream ended.
struct EventPlace {
    var lastID: String?
    /// The server's `retry`.
    var retry: Duration?
    /// Whether the connection has brought an event.
    var hasEvents = false
}

/// What the modifiers of an event stream have set.
struct EventOptions: Sendable {
    var policy: ReconnectPolicy?
    var savedID: String?
    var limit = 16 << 20
    /// The names of the events that have values. `nil` for all events.
    var names: Set<String>?
    /// The data of the event that ends the sequence. `nil` for none.
    var terminator: String?
    var needsTerminator = true
    /// Whether the response may also be one JSON text.
    var acceptsJSON = false
}

/// The requests of an event stream that does not begin with the route's own, or that connects again.
struct Reconnection {
    private let original: Request
    /// The request that is being read, if it is not the original.
    private var repeated: RepeatedRequest?
    /// `nil` if the sequence ends with the response.
    private var attempts: ReconnectAttempts?

    /// Returns `nil` if only the original request is sent.
    init?(_ original: Request, _ options: EventOptions) {
        self.original = original
        attempts = options.policy.flatMap { $0.attempts > 0 ? ReconnectAttempts($0) : nil }
        repeated = options.savedID.map { id in original.repeated { $0.headers["Last-Event-ID"] = id } }
        if attempts == nil, repeated == nil { return nil }
    }

    /// The request to send.
    var request: Request { repeated?.request ?? original }

    /// Checks that the request may be sent more than once.
    func check() throws(HTTPError) {
        if let attempts { try ReconnectPolicy.check(original.method, attempts.policy) }
    }

    /// Records that a stream begins.
    mutating func begin() { attempts?.begin(original.time) }

    /// Waits for the time of another attempt, and returns its request. `nil` if there is none. `body` is the stream.
    /// `nil` if it has not begun.
    nonisolated(nonsending) mutating func request(
        after error: (any Error)?, of body: OpenBody?, at place: EventPlace
    ) async throws -> Request? {
        guard attempts != nil, body?.response.status != 204, Self.mayPass(error, hasBegun: body != nil) else {
            return nil
        }
        guard let delay = attempts?.delay(after: place.hasEvents, requested: place.retry, original.time) else {
            guard let body, error == nil else { return nil }
            throw body.annotated(ReconnectPolicy.exhausted(attempts?.count ?? 0, "event"))
        }
        try await original.sleep(delay)
        repeated = original.repeated {
            // An ID that no header field can have is not sent.
            $0.headers["Last-Event-ID"] = place.lastID.flatMap { HTTPHeaders.isValidValue($0) ? $0 : nil }
        }
        return request
    }

    /// Whether another attempt may do better. An error of a stream that has begun may have any kind: a compressed stream
    /// that a proxy cuts off has invalid bytes, and so has one that HTTP/2 resets.
    private static func mayPass(_ error: (any Error)?, hasBegun: Bool) -> Bool {
        guard let error else { return true }
        guard let error = error as? HTTPError else { return false }
        return hasBegun ? ![.cancelled, .shutDown].contains(error.kind) : error.isTemporary
    }
}

/// Decides whether and when an event stream connects again. See ``ResponseEvents/reconnecting(_:)``.
///
/// ```swift
/// var policy = ReconnectPolicy.upTo(attempts: 20)
/// policy.delay = .seconds(1)
/// for try await event in api.request(.feed).events.reconnecting(policy) { show(event) }
/// ```
///
/// The delay begins with the server's `retry`, or with ``delay``. It doubles with each attempt that brings no event, up
/// to ``maximumDelay``. It is never shorter than the server's `retry`. Up to half of the delay is added at random, so
/// that the clients of a server do not all connect at once.
public struct ReconnectPolicy: Sendable {
    /// The maximum number of reconnections in a row that bring no event; the first connection does not count. An event
    /// resets the number, and so does a stream that was open for ``stableTime``. With 0 the stream does not connect
    /// again.
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
    /// Whether requests with any method are sent again. Defaults to `false`. See ``withAnyMethod()``.
    public var allowsAnyMethod = false

    /// At most ten reconnections in a row that bring no event.
    public static let standard = ReconnectPolicy(attempts: 10)

    /// Returns a policy with a maximum number of reconnections in a row that bring no event. The first connection does not
    /// count.
    public static func upTo(attempts: Int) -> ReconnectPolicy { ReconnectPolicy(attempts: max(0, attempts)) }

    /// Returns a copy that also reconnects requests whose method is not idempotent, such as POST. Each is sent with its
    /// body and `Last-Event-ID`: the server must be able to continue the stream, or it executes the request twice.
    public func withAnyMethod() -> ReconnectPolicy {
        var policy = self
        policy.allowsAnyMethod = true
        return policy
    }

    private init(attempts: Int) { self.attempts = attempts }

    /// Checks that a request may be sent more than once.
    static func check(_ method: HTTPMethod, _ policy: ReconnectPolicy) throws(HTTPError) {
        guard !policy.allowsAnyMethod, !method.isIdempotent else { return }
        throw HTTPError(
            .configuration("reconnecting"), reason: "\(method) is not idempotent, so that it is not sent again",
            suggestion: "If the server can continue the stream, use the policy .standard.withAnyMethod()")
    }

    static func exhausted(_ attempts: Int, _ part: String) -> HTTPError {
        HTTPError(
            .connectionLost, reason: "\(attempts) reconnections in a row have brought no \(part)",
            suggestion:
                "Allow more attempts with the ReconnectPolicy. To end an event stream permanently, a server sends a 204"
        )
    }

    /// Returns the delay before one of the attempts in a row, from 1.
    ///
    /// - Parameters:
    ///   - requested: The server's `retry`.
    ///   - random: A random number from 0 up to, but not including, 1.
    package func delay(before attempt: Int, requested: Duration?, random: Double) -> Duration {
        // The exponent is limited, so that the product is a valid Duration.
        let doubled = min((requested ?? delay) * Double(1 << min(attempt - 1, 20)), maximumDelay)
        let base = max(doubled, requested ?? .zero)
        return base + base * (random / 2)
    }
}

/// Counts the attempts in a row that bring nothing.
package struct ReconnectAttempts: Sendable {
    let policy: ReconnectPolicy
    private(set) var count = 0
    /// The time at which the connection was made.
    private var start: Duration?

    package init(_ policy: ReconnectPolicy) { self.policy = policy }

    /// Records that a connection was made.
    package mutating func begin(_ time: PipelineTime) { start = time.now() }

    /// Ends the connection, and returns the delay before the next attempt. `nil` after too many. A connection that has
    /// brought something resets the number of attempts.
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
