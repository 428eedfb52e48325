import Halyard

/// The rate limit of one key: a bucket, what the server has said, and the requests that wait. It decides only.
struct RatePlace<Element: Sendable>: Sendable {
    /// A quota of the server.
    private struct Window: Sendable {
        var remaining: Int
        var end: Duration
    }

    /// What to do next.
    enum Step {
        /// It is the turn of an element, which has a token.
        case turn(Element)
        /// The next token comes after this time.
        case wait(Duration)
        /// No element waits.
        case done
    }

    var line = WaitingLine<Element>()
    /// The requests that were sent and have no response yet.
    var inFlight = 0
    private var bucket: TokenBucket
    private var pauseEnd: Duration?
    private var windows: [String: Window] = [:]

    init(_ bucket: TokenBucket) { self.bucket = bucket }

    /// A longer pause ends after this time, and requests are sent again: the server may then repeat it.
    private static var longestPause: Duration { .seconds(3600) }

    /// Returns the time until a request may be sent. Zero if one may be sent now.
    func delay(at now: Duration) -> Duration {
        let ends = windows.values.filter { $0.remaining <= 0 }.map(\.end) + (pauseEnd.map { [$0] } ?? [])
        return max(bucket.delay(at: now), (ends.max() ?? now) - now)
    }

    /// Returns the time that a new request of a priority waits for, as far as it is known.
    func estimate(_ priority: RequestPriority, at now: Duration) -> Duration {
        delay(at: now) + bucket.interval * line.count(atLeast: priority)
    }

    /// Takes a token, if no request waits and there is one.
    mutating func takeNow(at now: Duration) -> Bool {
        guard line.isEmpty, delay(at: now) == .zero else { return false }
        take(at: now)
        return true
    }

    /// Returns the element whose turn it is, or else the time until then.
    mutating func step(at now: Duration) -> Step {
        guard !line.isEmpty else { return .done }
        let delay = delay(at: now)
        guard delay == .zero, let next = line.next() else { return .wait(delay) }
        take(at: now)
        return .turn(next)
    }

    private mutating func take(at now: Duration) {
        bucket.take(at: now)
        inFlight += 1
        windows = windows.filter { $0.value.end > now }.mapValues { window in
            Window(remaining: window.remaining - 1, end: window.end)
        }
    }

    /// Gives back the token of an element that has stopped waiting at the same moment.
    mutating func giveBack() {
        bucket.giveBack()
        inFlight -= 1
        windows = windows.mapValues { Window(remaining: $0.remaining + 1, end: $0.end) }
    }

    /// Sends nothing for a time.
    mutating func pause(_ time: Duration, at now: Duration) {
        pauseEnd = max(pauseEnd ?? now, now + min(time, Self.longestPause))
    }

    /// Learns what is left of the server's quotas. Requests in flight may not be counted yet, and are subtracted.
    mutating func learn(_ quotas: [RateLimitFields.Quota], at now: Duration) {
        windows = windows.filter { $0.value.end > now }
        for quota in quotas {
            let end = now + min(.seconds(quota.reset), Self.longestPause)
            var remaining = min(quota.remaining, Int(Int32.max)) - inFlight
            // Responses may arrive in another order than they were counted. A later window is a new one.
            if let known = windows[quota.name], end - known.end < .seconds(1) {
                remaining = min(remaining, known.remaining)
            }
            guard end > now, windows[quota.name] != nil || windows.count < RateLimitFields.maximum else { continue }
            windows[quota.name] = Window(remaining: remaining, end: end)
        }
    }

    /// Whether the place is as a new one, so that it need not be kept.
    func isIdle(at now: Duration) -> Bool {
        line.isEmpty && inFlight == 0 && bucket.isFull(at: now) && (pauseEnd ?? now) <= now
            && windows.values.allSatisfy { $0.end <= now }
    }
}
