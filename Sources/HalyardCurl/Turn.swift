import HalyardHTTP

/// One turn of the loop: what happens in it happens at one time. Readers of streams hear of what came when no more is
/// there at once, when half of what may wait is there, or after a few turns: to wake a task costs as much as reading a
/// hundred kilobytes.
final class Turn {
    private static let patience = 8

    /// The time, asked of the system once.
    private(set) var now = Instant.now
    private var streams: [Transfer] = []
    private var turns = 0
    /// When those who watch hear of what has moved since the last report, though it was little.
    private(set) var newsDue: Instant?
    /// Lines that have turned out to be HTTP/2's.
    var shared: [Admission.Line] = []

    func begin() {
        now = .now
        if !streams.isEmpty { turns += 1 }
    }

    /// Notes a stream whose reader is to be told.
    func wrote(to stream: Transfer) {
        if streams.last !== stream { streams.append(stream) }  // twice does no harm
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

    /// Whether readers are still to be told, and may wait for one turn more.
    var mayWait: Bool {
        !streams.isEmpty && turns < Self.patience && !streams.contains { $0.intake?.pipe?.isHalfFull ?? false }
    }

    /// Tells the readers.
    func flush() {
        guard !streams.isEmpty else { return }
        for stream in streams { stream.intake?.pipe?.flush() }
        streams.removeAll(keepingCapacity: true)
        turns = 0
    }
}
