import HalyardHTTP

/// When the time of one transfer is over. It decides; somebody else waits.
struct ExchangeClock: Sendable {
    typealias Instant = ContinuousClock.Instant

    var deadline: Instant?
    /// The user's side holds it up: silence is then no fault of the server's.
    var isHeldUp = false
    private var lastActivity = Instant.now
    private let timeout: Duration?
    private let idleTimeout: Duration?

    init(_ context: TransferContext) {
        timeout = context.timeout?.unlessForever
        idleTimeout = context.idleTimeout?.unlessForever
        deadline = timeout.map { .now + $0 }
    }

    /// Notes that something moved.
    mutating func touch() { lastActivity = .now }

    /// When to look at the time again; `nil` where there is no limit.
    func nextLook() -> Instant? {
        let idle = idleTimeout.map { (isHeldUp ? .now : lastActivity) + $0 }
        guard let deadline, let idle else { return deadline ?? idle }
        return min(deadline, idle)
    }

    /// The error, if the time is over.
    mutating func overdue() -> HTTPError? {
        let now = Instant.now
        if let deadline, deadline <= now, let timeout {
            return HTTPError(.timedOut, reason: "it took longer than \(timeout)")
        }
        if isHeldUp { lastActivity = now }
        if let idleTimeout, lastActivity + idleTimeout <= now {
            return HTTPError(
                .timedOut, reason: "nothing moved for \(idleTimeout)",
                suggestion: "Raise the idleTimeout of the client's configuration, or try again later")
        }
        return nil
    }
}

extension Duration {
    /// Nil for what no clock can count to.
    fileprivate var unlessForever: Duration? { components.seconds < 1 << 31 ? self : nil }
}
