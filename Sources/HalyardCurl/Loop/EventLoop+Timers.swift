import CHalyardCurl

// libcurl's timer, and the time limits of requests.
extension EventLoop {
    /// Sets libcurl's only timer.
    ///
    /// - Parameter milliseconds: The time from now. A negative time removes the timer.
    func setTimer(_ milliseconds: Int) {
        curlTimer = milliseconds < 0 ? nil : context.tick.now.advanced(milliseconds: milliseconds)
    }

    /// Lets libcurl do the work that is due, and ends the transfers that it completes.
    ///
    /// - Parameter limit: The maximum number of calls. A call may set the timer to now again; this is how a new transfer
    ///   starts. The limit gives other transfers their turn.
    func runTimer(atMost limit: Int = 16) {
        // libcurl is about to choose connections for new transfers.
        if hasNewTransfers {
            poller.shutDownStale(unless: isInUse) { context.shutDownConnections.insert($0, $1) }
        }
        hasNewTransfers = false
        for _ in 0..<limit {
            guard let due = curlTimer, due <= context.tick.now else { break }
            curlTimer = nil
            _ = halyard_multi_socket_action(multi, HALYARD__SOCKET_TIMEOUT, 0)
        }
        endCompleted()
    }

    /// The time at which the loop must run again even if nothing happens; `nil` for none.
    var due: MonotonicInstant? {
        var earliest = context.tick.deadline
        earliest.include(curlTimer)
        earliest.include(context.tick.progressReportDue)
        earliest.include(context.notifier.flushDue)
        return earliest.instant
    }

    /// Ends the requests that have exceeded a time limit.
    func endOverdue() {
        let now = context.tick.now
        guard context.tick.deadline.isDue(now) else { return }
        context.tick.deadline = EarliestDeadline()
        for pending in limiter.removeOverdue(now, &context.tick.deadline) { pending.fail(with: pending.timeoutError) }
        for transfer in transfers.values {
            if let outcome = transfer.timeoutOutcome(now) {
                end(transfer.id, with: outcome)
            } else {
                context.tick.deadline.include(transfer.nextDeadline)
            }
        }
    }
}
