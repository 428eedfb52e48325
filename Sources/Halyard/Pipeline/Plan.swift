import HalyardFoundation
import HalyardHTTP

/// How one request is sent: its route's choices where it has some, else its client's. A class, for every stage has it:
/// they share one, and copy nothing.
package final class Plan: Sendable {
    /// What the engine is told; its timeout is what is left of the whole.
    let context: TransferContext
    let redirects: RedirectPolicy
    let retry: RetryPolicy
    /// What the client's requests have left for second attempts.
    let account: RetryAccount
    /// Where attempts wait when only so many may be made at once.
    let turnstile: Turnstile?
    let time: PipelineTime
    let log: RequestLog?
    /// The provider's origin; nil for a request that is not made for it.
    let home: Origin?
    /// The credentials for requests to ``home``.
    let authentication: Authentication
    /// When all of it must be over, on the pipeline's clock.
    private let end: Duration?

    init(
        _ context: TransferContext, _ redirects: RedirectPolicy, _ retry: RetryPolicy, _ account: RetryAccount,
        _ turnstile: Turnstile?, _ time: PipelineTime, _ log: RequestLog?, _ home: Origin?,
        _ authentication: Authentication
    ) {
        self.context = context
        self.redirects = redirects
        self.retry = retry
        self.account = account
        self.turnstile = turnstile
        self.time = time
        self.log = log
        self.home = home
        self.authentication = authentication
        end = context.timeout.map { time.now() + $0 }
    }

    /// What is left until the deadline; nil without one.
    var remaining: Duration? { end.map { $0 - time.now() } }

    /// The context for the next attempt.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` when no time is left.
    func contextNow() throws(HTTPError) -> TransferContext {
        guard let remaining, let whole = context.timeout else { return context }
        guard remaining > .zero else { throw overdueError }
        // What building the request took is not worth a message with a crooked number.
        if whole - remaining < .milliseconds(5) { return context }
        var context = context
        context.timeout = remaining
        return context
    }

    /// What an engine says, who knew of what was left alone.
    func corrected(_ error: HTTPError) -> HTTPError {
        guard error.kind == .timedOut, let remaining, remaining <= .zero else { return error }
        var error = error
        error.reason = overdue
        return error
    }

    var overdueError: HTTPError { HTTPError(.timedOut, reason: overdue) }

    private var overdue: String { "it took longer than \(context.timeout.map { "\($0)" } ?? "")" }
}

/// Time and chance, as the pipeline has them: a test may give its own.
package struct PipelineTime: Sendable {
    /// What has passed since some moment.
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    /// The time of day.
    var date: @Sendable () -> Date = { Date() }
    /// Anything from 0 to less than 1.
    package var chance: @Sendable () -> Double = { .random(in: 0..<1) }

    package init<Time: Clock<Duration>>(_ clock: Time) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }
}
