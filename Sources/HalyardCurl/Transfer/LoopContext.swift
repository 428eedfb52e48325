/// The state that an event loop shares with its transfers. Only the owner of the loop uses it.
///
/// Overlapping accesses are not checked at run time: libcurl makes one callback at a time, and the checks were a
/// twentieth of the cost of a small request.
final class LoopContext {
    let settings: EngineSettings
    let observer: any TransferObserver
    let notifier = StreamNotifier()
    @exclusivity(unchecked) var iteration = LoopIteration()
    @exclusivity(unchecked) var shutDownConnections = ShutDownConnections()
    /// Whether libcurl mentions messages of TLS.
    @exclusivity(unchecked) var mentionsTLS = false
    @exclusivity(unchecked) var goAways = GoAways()
    /// The queues of transfers whose connection has turned out to be HTTP/2. The loop raises their limits after each
    /// call of libcurl.
    @exclusivity(unchecked) var multiplexedQueues: [OriginQueue] = []

    init(_ settings: EngineSettings, _ observer: any TransferObserver) {
        self.settings = settings
        self.observer = observer
    }

    /// Begins an iteration of the loop.
    func beginIteration() {
        iteration.begin()
        notifier.beginIteration()
    }
}

/// One iteration of the event loop: the time at which it began, and the times at which the loop must run again.
struct LoopIteration {
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

/// Receives events of a transfer from any thread, and passes them to the event loop.
protocol TransferObserver: AnyObject, Sendable {
    /// The user's end of a stream can continue, or was closed.
    func streamChanged(_ id: UInt64)
    /// The file of a response is complete, or was removed.
    func fileWritten(_ id: UInt64)
}
