import HalyardHTTP

/// Who may go, and who waits: at most so many transfers to one origin are libcurl's at a time, the others wait here in
/// the order in which they came. One that waits costs less than a kilobyte, one of libcurl's dozens; and no origin is
/// held up by another.
struct Admission {
    /// A request that waits.
    struct Waiting {
        let start: Start
        let line: Line
        let since: Instant

        /// When it has waited long enough.
        var deadline: Instant? { start.context.timeout.flatMap(since.advanced(by:)) }
    }

    /// Those of one origin. Whoever entered keeps it until they leave: an origin is long to look up.
    final class Line {
        let origin: Origin
        var active = 0
        /// Those that wait; of those who left in the meantime only the number is here.
        private var queue: [UInt64] = []
        private var first = 0

        init(_ origin: Origin) { self.origin = origin }

        /// Whether there is room for one more; if not it is put at the end.
        func enter(_ id: UInt64, limit: Int) -> Bool {
            if active < limit {
                active += 1
                return true
            }
            queue.append(id)
            return false
        }

        /// The next in the queue.
        func next() -> UInt64? {
            guard first < queue.count else { return nil }
            defer { first += 1 }
            // Those who went are cleared away when they are the most: a queue may never be empty.
            if first > queue.count / 2 {
                queue.removeFirst(first)
                first = 0
            }
            return queue[first]
        }
    }

    private let limit: Int
    private var lines: [Origin: Line] = [:]
    /// The line that was entered last: one request after another goes to the same origin.
    private var last: Line?
    private var waiting: [UInt64: Waiting] = [:]

    init(_ configuration: EngineConfiguration) {
        // A connection of HTTP/2 carries a hundred or so (RFC 9113 section 6.5.2); and one that is done must not wait
        // for this side to think of the next.
        limit = min(max(1, configuration.connectionsPerHost), 1 << 20) + 128
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The line of a request that may go at once; `nil` for one that waits.
    mutating func enter(_ start: Start, now: Instant) -> Line? {
        let line = line(of: start.request.origin)
        if line.enter(start.id, limit: limit) { return line }
        waiting[start.id] = Waiting(start: start, line: line, since: now)
        return nil
    }

    /// Says that one is done which went by a line, and gives whose turn it is.
    mutating func leave(_ line: Line) -> Waiting? {
        while let id = line.next() {
            if let next = waiting.removeValue(forKey: id) { return next }
        }
        line.active -= 1
        // The last one stays, for the next request; until another origin's comes.
        if line.active == 0 && line !== last { lines[line.origin] = nil }
        return nil
    }

    private mutating func line(of origin: Origin) -> Line {
        if let last, last.origin == origin { return last }
        if let last, last.active == 0 { lines[last.origin] = nil }
        let line = lines[origin] ?? Line(origin)
        lines[origin] = line
        last = line
        return line
    }

    /// Takes back one that waits.
    mutating func remove(_ id: UInt64) -> Start? { waiting.removeValue(forKey: id)?.start }

    /// Takes back all that wait.
    mutating func removeAll() -> [Start] {
        defer { waiting = [:] }
        return waiting.values.map(\.start)
    }

    /// Takes back those whose time is over, and notes when the next one's will be.
    mutating func removeOverdue(_ now: Instant, _ timetable: inout Timetable) -> [Start] {
        var overdue: [Start] = []
        for (id, one) in waiting {
            guard let deadline = one.deadline else { continue }
            if deadline <= now {
                overdue.append(one.start)
                waiting[id] = nil
            } else {
                timetable.note(deadline)
            }
        }
        return overdue
    }
}
