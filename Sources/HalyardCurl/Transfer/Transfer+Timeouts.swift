import HalyardHTTP

// Time limits: of the whole transfer, of the time without any byte, and of the body of a redirect.
extension Transfer {
    /// Records that bytes have moved.
    func recordActivity() { lastActivity = loopContext.iteration.now }

    /// Whether only the head of the response is needed, because it is a redirect that is followed.
    var needsOnlyHead: Bool { redirectBodyDeadline != nil }

    /// Limits the time in which the body of a redirect is read to 100 milliseconds.
    func limitRedirectBody() -> MonotonicInstant {
        let end = loopContext.iteration.now.advanced(milliseconds: 100)
        redirectBodyDeadline = end
        return end
    }

    /// The earliest time at which a limit may be exceeded; `nil` without limits.
    var nextDeadline: MonotonicInstant? {
        let idle = pending.context.idleTimeout.flatMap(lastActivity.advanced(by:))
        var earliest = EarliestDeadline()
        earliest.include(deadline)
        earliest.include(idle)
        earliest.include(redirectBodyDeadline)
        return earliest.instant
    }

    /// Returns how the transfer ends if a limit is exceeded, or `nil`.
    func timeoutOutcome(_ now: MonotonicInstant) -> Result<HTTPResponse, any Error>? {
        if let redirectBodyDeadline, redirectBodyDeadline <= now, let receiver { return .success(response(receiver)) }
        return timeoutError(now).map { .failure($0) }
    }

    private func timeoutError(_ now: MonotonicInstant) -> HTTPError? {
        if let deadline, deadline <= now { return pending.timeoutError }
        // Time in which the transfer waits for the user does not count, unless the server has rejected the upload.
        if isPaused && !isRejectingUpload { lastActivity = now }
        if let idle = pending.context.idleTimeout.flatMap(lastActivity.advanced(by:)), idle <= now {
            return .exceeded(
                .idle, reason: "no data was transferred for \(pending.context.idleTimeout.map { "\($0)" } ?? "")")
        }
        return nil
    }
}
