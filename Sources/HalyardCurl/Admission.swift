import HalyardHTTP

/// Who may go, and who waits: at most so many transfers to one origin are libcurl's at a time, the others wait here in
/// the order in which they came. One that waits costs less than a kilobyte, one of libcurl's dozens; and no origin is
/// held up by another.
struct Admission {
    /// A request that waits.
    struct Waiting {
        let start: Start
        let since: Instant

        /// When it has waited long enough.
        var deadline: Instant? { start.context.timeout.flatMap(since.advanced(by:)) }
    }

    private struct Line {
        var active = 0
        /// Those that wait; of those who left in the meantime only the number is here.
        var queue: [UInt64] = []
        var first = 0

        /// Whether there is room for one more; if not it is put at the end.
        mutating func enter(_ id: UInt64, limit: Int) -> Bool {
            if active < limit {
                active += 1
                return true
            }
            queue.append(id)
            return false
        }

        /// The next in the queue.
        mutating func next() -> UInt64? {
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
    private var waiting: [UInt64: Waiting] = [:]

    init(_ configuration: EngineConfiguration) {
        // A connection of HTTP/2 carries a hundred or so (RFC 9113 section 6.5.2); and one that is done must not wait
        // for this side to think of the next.
        limit = max(1, configuration.connectionsPerHost) + 128
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Whether a request may go at once; if not it waits.
    mutating func enter(_ start: Start, now: Instant) -> Bool {
        // In place: a queue is long when it matters.
        if lines[start.request.origin, default: Line()].enter(start.id, limit: limit) { return true }
        waiting[start.id] = Waiting(start: start, since: now)
        return false
    }

    /// Says that one is done, and gives whose turn it is.
    mutating func leave(_ origin: Origin) -> Waiting? {
        guard let line = lines.index(forKey: origin) else { return nil }
        while let id = lines.values[line].next() {
            if let next = waiting.removeValue(forKey: id) { return next }
        }
        lines.values[line].active -= 1
        if lines.values[line].active == 0 { lines.remove(at: line) }
        return nil
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
