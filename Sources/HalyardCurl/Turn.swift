import HalyardHTTP

/// One turn of the loop: what happens in it happens at one time, and readers hear of it at its end.
final class Turn {
    /// The time, asked of the system once.
    private(set) var now = Instant.now
    private var pipes: [BytePipe] = []

    func begin() { now = .now }

    /// Notes a stream whose reader is to be told.
    func wrote(to pipe: BytePipe) {
        if pipes.last !== pipe { pipes.append(pipe) }
    }

    /// Tells the readers.
    func flush() {
        guard !pipes.isEmpty else { return }
        for pipe in pipes { pipe.flush() }
        pipes.removeAll(keepingCapacity: true)
    }
}
