import HalyardHTTP

/// One turn of the loop: what happens in it happens at one time.
///
/// Readers of streams hear of what came when no more is there at once, when half of what may wait is there, or after a
/// few turns; and where much comes fast, once a millisecond. To wake a task costs as much as reading a hundred kilobytes.
final class Turn {
    private static let patience = 8

    /// The time, asked of the system once.
    private(set) var now = Instant.now
    /// When some transfer's time may be over.
    @exclusivity(unchecked) var timetable = Timetable()
    private var streams: [Transfer] = []
    private var turns = 0
    /// When readers were told last.
    private var told: Instant?
    /// When those who watch hear of what has moved since the last report, though it was little.
    private(set) var newsDue: Instant?
    /// Connections that were ended while they were idle, and that libcurl has not closed yet. Since 8.22 it looks once a
    /// second whether a connection is alive.
    private var ended: [CInt: ConnectionEnds] = [:]
    /// Lines that have turned out to be HTTP/2's.
    var shared: [Admission.Line] = []

    func begin() {
        now = .now
        if !streams.isEmpty { turns += 1 }
    }

    /// Notes that a connection was ended.
    func ended(_ socket: CInt, _ ends: ConnectionEnds) { ended[socket] = ends }

    /// Notes that libcurl has closed a socket.
    func closed(_ socket: CInt) {
        if !ended.isEmpty { ended[socket] = nil }
    }

    /// Whether a connection was ended, given its two ends.
    func hasEnded(_ ends: () -> ConnectionEnds?) -> Bool {
        guard !ended.isEmpty, let ends = ends() else { return false }
        return ended.values.contains(ends)
    }

    /// Notes a stream whose reader is to be told.
    func wrote(to stream: Transfer) {
        guard !stream.isNoted else { return }
        stream.isNoted = true
        streams.append(stream)
    }

    /// Lets libcurl read no more for those of whose bytes enough wait.
    func holdBack() {
        for stream in streams { stream.holdBack() }
    }

    /// Notes that something moved of which somebody is to hear, soon.
    func noteNews() { newsDue = newsDue ?? now.advanced(milliseconds: 100) }

    /// Whether it is time to tell, of all that was noted.
    func takeNews() -> Bool {
        guard let newsDue, newsDue <= now else { return false }
        self.newsDue = nil
        return true
    }

    /// Whether all that readers are still to be told of is parts of something large, which may wait until ``flushDue``.
    var isGathering: Bool {
        guard let flushDue, now < flushDue else { return false }
        return streams.allSatisfy { $0.intake?.pipe?.isGathering ?? false }
    }

    /// When readers are to be told, who were told just now.
    var flushDue: Instant? { streams.isEmpty ? nil : told?.advanced(milliseconds: 1) }

    /// Whether there is something to tell of each of so many transfers, which are all that there are.
    func concernsAll(of transfers: Int) -> Bool { streams.count == transfers && streams.allSatisfy(\.isOnLoop) }

    /// Whether readers are still to be told, and may wait for one turn more.
    var mayWait: Bool {
        !streams.isEmpty && turns < Self.patience && !streams.contains { $0.intake?.pipe?.isHalfFull ?? false }
    }

    /// Tells the readers.
    func flush() {
        guard !streams.isEmpty else { return }
        for stream in streams {
            stream.isNoted = false
            stream.intake?.pipe?.flush()
        }
        streams.removeAll(keepingCapacity: true)
        turns = 0
        told = now
    }
}
