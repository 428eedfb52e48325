/// One iteration of the event loop: the time at which it began, and the times at which the loop must run again.
struct LoopTick {
    /// The time at which the iteration began. The clock is read once per iteration.
    private(set) var now = MonotonicInstant.now
    /// The earliest time at which a transfer may time out.
    var deadline = EarliestDeadline()
    /// The time at which small amounts of progress are reported; `nil` if there is nothing to report.
    private(set) var progressReportDue: MonotonicInstant?

    /// Begins an iteration.
    mutating func begin() { now = .now }

    /// Schedules a progress report for all transfers, in at most 100 milliseconds.
    mutating func scheduleProgressReport() {
        progressReportDue = progressReportDue ?? now.advanced(milliseconds: 100)
    }

    /// Returns whether the progress report is due. If so, it is no longer scheduled.
    mutating func takeProgressReport() -> Bool {
        guard let progressReportDue, progressReportDue <= now else { return false }
        self.progressReportDue = nil
        return true
    }
}
