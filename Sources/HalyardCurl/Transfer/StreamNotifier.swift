import HalyardHTTP

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
