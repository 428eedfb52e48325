import HalyardHTTP

/// The state that an event loop shares with its transfers. Only the owner of the loop uses it.
///
/// Overlapping accesses are not checked at run time: libcurl makes one callback at a time, and the checks were a
/// twentieth of the cost of a small request.
final class LoopContext {
    let settings: EngineSettings
    /// Posts a command to the loop, from any thread.
    let post: @Sendable (LoopCommand) -> Void
    let notifier = StreamNotifier()
    @exclusivity(unchecked) var iteration = LoopIteration()
    @exclusivity(unchecked) var shutDownConnections = ShutDownConnections()
    @exclusivity(unchecked) var batch = RequestBatch()
    @exclusivity(unchecked) var fieldMemory = FieldMemory()
    @exclusivity(unchecked) var keepAliveEnds = KeepAliveEnds()
    /// Whether libcurl mentions messages of TLS.
    @exclusivity(unchecked) var mentionsTLS = false
    @exclusivity(unchecked) var goAways = GoAways()
    /// The queues of transfers whose connection has turned out to be HTTP/2. The loop raises their limits after each
    /// call of libcurl.
    @exclusivity(unchecked) var multiplexedQueues: [OriginQueue] = []

    init(_ settings: EngineSettings, post: @escaping @Sendable (LoopCommand) -> Void) {
        self.settings = settings
        self.post = post
    }

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

/// Wakes the readers of streams after new bytes have arrived.
///
/// Waking a task costs as much as reading a hundred kilobytes, so several arrivals are combined. Readers are woken when
/// no more bytes are available at once, when the stream's buffer is half full, or after a few iterations of the event
/// loop. Where much arrives quickly, they are woken once a millisecond.
final class StreamNotifier {
    private static let maxIterationsBeforeFlush = 8

    /// The streams whose readers are to be woken.
    private var streams: [Transfer] = []
    /// The number of iterations since the first of these streams received bytes.
    private var iterations = 0
    private var lastFlush: MonotonicInstant?

    /// Counts an iteration of the event loop.
    func beginIteration() {
        if !streams.isEmpty { iterations += 1 }
    }

    /// Records that a stream has received bytes.
    func bytesArrived(for stream: Transfer) {
        guard !stream.awaitsFlush else { return }
        stream.awaitsFlush = true
        streams.append(stream)
    }

    /// Stops libcurl from reading for streams whose buffers are full.
    func pauseFullStreams() {
        for stream in streams { stream.pauseReading() }
    }

    /// The earliest time at which readers are woken again; `nil` if there is nothing to wake them for, or they have not
    /// been woken before.
    var flushDue: MonotonicInstant? { streams.isEmpty ? nil : lastFlush?.advanced(milliseconds: 1) }

    /// Returns whether readers can wait until ``flushDue`` because every stream is receiving a large body.
    func canCoalesce(now: MonotonicInstant) -> Bool {
        guard let flushDue, now < flushDue else { return false }
        return streams.allSatisfy { $0.receiver?.pipe?.isGathering ?? false }
    }

    /// Whether there are readers to be woken, and they can wait for one more iteration.
    var canDelayFlush: Bool {
        !streams.isEmpty && iterations < Self.maxIterationsBeforeFlush
            && !streams.contains { $0.receiver?.pipe?.isHalfFull ?? false }
    }

    /// Returns whether every running transfer is a stream that has received bytes.
    func includesAllTransfers(count: Int) -> Bool { streams.count == count && streams.allSatisfy(\.isAttached) }

    /// Wakes the readers.
    func flush(now: MonotonicInstant) {
        guard !streams.isEmpty else { return }
        for stream in streams {
            stream.awaitsFlush = false
            stream.receiver?.pipe?.flush()
        }
        streams.removeAll(keepingCapacity: true)
        iterations = 0
        lastFlush = now
    }
}
