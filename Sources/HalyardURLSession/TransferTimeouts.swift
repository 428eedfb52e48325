import HalyardHTTP

/// The time limits of one transfer. It decides when a limit is exceeded, and does not wait.
struct TransferTimeouts: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The end of the whole transfer; `nil` for no limit.
    var deadline: Instant?
    /// Whether the transfer waits for the user. The idle time does not count then.
    var isPaused = false
    private var lastActivity = Instant.now
    private let timeout: Duration?
    private let idleTimeout: Duration?

    init(_ context: TransferContext) {
        timeout = context.timeout?.unlessForever
        idleTimeout = context.idleTimeout?.unlessForever
        deadline = timeout.map { .now + $0 }
    }

    /// Records that bytes have moved.
    mutating func recordActivity() { lastActivity = .now }

    /// Returns the time of the next check; `nil` without limits.
    func nextCheck() -> Instant? {
        let idle = idleTimeout.map { (isPaused ? .now : lastActivity) + $0 }
        guard let deadline, let idle else { return deadline ?? idle }
        return min(deadline, idle)
    }

    /// Returns an error of kind `timedOut` if a limit is exceeded.
    mutating func timeoutError() -> HTTPError? {
        let now = Instant.now
        if let deadline, deadline <= now, let timeout {
            return .exceeded(.request, reason: "it took longer than \(timeout)")
        }
        if isPaused { lastActivity = now }
        if let idleTimeout, lastActivity + idleTimeout <= now {
            return .exceeded(.idle, reason: "no data was transferred for \(idleTimeout)")
        }
        return nil
    }
}

extension Duration {
    /// The duration; `nil` for 2^31 seconds or more, which counts as no limit and would overflow an instant.
    fileprivate var unlessForever: Duration? { components.seconds < 1 << 31 ? self : nil }
}
