import HalyardHTTP

/// Who may go, and who waits: to one origin as many transfers are libcurl's at a time as it may have connections, and
/// more where a connection carries many; the others wait here in the order in which they came. libcurl would let them
/// wait as well, but counts that as a part of connecting, at least since 8.12. One that waits here costs less than a
/// kilobyte, one of libcurl's dozens; and no origin is held up by another.
struct Admission {
    /// A request that waits.
    struct Waiting {
        let start: Start
        let line: Line
        let since: Instant

        /// When it has waited long enough.
        var deadline: Instant? { start.context.timeout.flatMap(since.advanced(by:)) }
    }

    private let connectionsPerOrigin: Int
    private let connections: Int
    private let isPriorKnowledge: Bool
    private let proxy: PlainProxy?
    /// The proxy's line has no origin: it is everyone's who is served there.
    private var lines: [Origin?: Line] = [:]
    /// The line that was entered last: one request after another goes to the same origin.
    private var last: Line?
    private var waiting: [UInt64: Waiting] = [:]
    /// Connections that are in use, or will be: one for each transfer, or one for a line that shares it.
    private var active = 0
    /// Origins whose lines were shared, though they may be gone.
    private var sharing: Set<Origin> = []
    /// Lines in which a request waits for a connection that another origin has.
    private var ready = ReadyLines()
    /// Somebody may wait for a connection that another origin has.
    private var isCrowded = false

    /// - Parameter connections: how many there may be in all.
    init(_ configuration: EngineConfiguration, connections: Int) {
        connectionsPerOrigin = min(max(1, configuration.connectionsPerHost), 1 << 20)
        self.connections = connections
        isPriorKnowledge = configuration.httpVersion == .http2
        proxy = PlainProxy(configuration.proxy)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The line of a request that may go at once; `nil` for one that waits.
    mutating func enter(_ start: Start, now: Instant) -> Line? {
        let line = line(of: start.request.origin)
        if line.waiting == 0 && hasRoom(line) {
            add(to: line)
            return line
        }
        if line.active < line.limit { isCrowded = true }
        line.append(start.id)
        waiting[start.id] = Waiting(start: start, line: line, since: now)
        noteReady(line)
        return nil
    }

    private mutating func noteReady(_ line: Line) {
        if isCrowded { ready.insert(line) }
    }

    /// Says that one is done which went by a line. Then ``next(after:)`` tells whose turn it is.
    mutating func leave(_ line: Line) {
        line.active -= 1
        if !line.isShared || line.active == 0 { active -= 1 }
        noteReady(line)
    }

    /// Says that the connections of a line carry more than one transfer at a time.
    mutating func share(_ line: Line) {
        guard !line.isShared && mayShare(line.origin) else { return }
        line.share()
        noteReady(line)
        active -= max(0, line.active - 1)
        if sharing.count >= 1000 { sharing = [] }
        if let origin = line.origin { sharing.insert(origin) }
    }

    /// 7.88 has a connection for each request where it speaks HTTP/2 without TLS. To a proxy none is spoken.
    private func mayShare(_ origin: Origin?) -> Bool {
        guard let origin else { return false }
        return origin.scheme == "https" || CurlLibrary.sharesPlainHTTP2
    }

    /// Whose turn it is, once there is room in a line. It has entered.
    mutating func next(after line: Line) -> Waiting? {
        let own = isCrowded && !line.isShared ? nil : take(from: line)
        let next = own ?? (isCrowded ? longestWaiting() : nil)
        if next == nil { forgetIfIdle(line) }
        return next
    }

    /// Who has waited longest, of all those who need not wait any more.
    private mutating func longestWaiting() -> Waiting? {
        guard active < connections else { return nil }
        while let (line, rank) = ready.removeFirst() {
            line.skip { waiting[$0] == nil }
            // The request by which it was found has left: those of another line may have waited for longer.
            if line.first > rank {
                ready.insert(line)
                continue
            }
            guard let next = take(from: line) else { continue }
            ready.insert(line)
            return next
        }
        isCrowded = false
        return nil
    }

    /// The last one stays, for the next request; until another origin's comes.
    private mutating func forgetIfIdle(_ line: Line) {
        if line.isIdle && line !== last && lines[line.origin] === line { lines[line.origin] = nil }
    }

    private func hasRoom(_ line: Line) -> Bool {
        line.active < line.limit && (line.isShared && line.active > 0 || active < connections)
    }

    private mutating func add(to line: Line) {
        if !line.isShared || line.active == 0 { active += 1 }
        line.active += 1
    }

    private mutating func take(from line: Line) -> Waiting? {
        guard line.waiting > 0 && hasRoom(line) else { return nil }
        while let id = line.next() {
            guard let next = waiting.removeValue(forKey: id) else { continue }
            line.waiting -= 1
            add(to: line)
            return next
        }
        return nil
    }

    private mutating func line(of origin: Origin) -> Line {
        if let last, last.origin == origin { return last }
        let origin = proxy?.serves(origin) == true ? nil : origin
        let line = lines[origin] ?? makeLine(origin)
        lines[origin] = line
        let before = last
        last = line
        if let before { forgetIfIdle(before) }
        return line
    }

    private func makeLine(_ origin: Origin?) -> Line {
        let line = Line(origin, limit: connectionsPerOrigin)
        if isPriorKnowledge && mayShare(origin) || origin.map(sharing.contains) == true { line.share() }
        return line
    }

    /// Takes back one that waits.
    mutating func remove(_ id: UInt64) -> Start? {
        guard let one = waiting.removeValue(forKey: id) else { return nil }
        one.line.waiting -= 1
        forgetIfIdle(one.line)
        return one.start
    }

    /// Takes back all that wait.
    mutating func removeAll() -> [Start] { waiting.keys.compactMap { remove($0) } }

    /// Takes back those whose time is over, and notes when the next one's will be.
    mutating func removeOverdue(_ now: Instant, _ timetable: inout Timetable) -> [Start] {
        var overdue: [UInt64] = []
        for (id, one) in waiting {
            guard let deadline = one.deadline else { continue }
            if deadline <= now { overdue.append(id) } else { timetable.note(deadline) }
        }
        return overdue.compactMap { remove($0) }
    }
}

extension Admission {
    /// Those of one origin. Whoever entered keeps it until they leave: an origin is long to look up.
    final class Line {
        /// Whose it is; `nil` for the proxy's.
        let origin: Origin?
        fileprivate private(set) var limit: Int
        /// Whether its connections carry more than one transfer at a time.
        private(set) var isShared = false
        fileprivate var active = 0
        /// How many wait.
        fileprivate var waiting = 0
        /// Those that wait; of those who left in the meantime only the number is here.
        private var queue = FIFO<UInt64>()
        /// Its place among the lines that are ready, while it is there: the number of the request that was the first.
        fileprivate var rank = UInt64.max

        fileprivate init(_ origin: Origin?, limit: Int) {
            self.origin = origin
            self.limit = limit
        }

        fileprivate var isIdle: Bool { active == 0 && waiting == 0 }

        /// A connection of HTTP/2 carries a hundred or so (RFC 9113 section 6.5.2); and one that is done must not wait
        /// for this side to think of the next.
        fileprivate func share() {
            isShared = true
            limit += 128
        }

        fileprivate func append(_ id: UInt64) {
            queue.append(id)
            waiting += 1
        }

        /// The number of the next in the queue, where there is one.
        fileprivate var first: UInt64 { queue.first ?? .max }

        /// Whether a request waits that its own origin does not keep waiting.
        fileprivate var isReady: Bool { waiting > 0 && active < limit }

        /// Passes over those at its head who have left.
        fileprivate func skip(_ hasLeft: (UInt64) -> Bool) {
            while let first = queue.first, hasLeft(first) { _ = queue.removeFirst() }
        }

        /// Takes the next out of the queue.
        fileprivate func next() -> UInt64? { queue.removeFirst() }
    }

    /// The lines that are ready, by the request that has waited longest in each. A binary heap: with many origins each
    /// step takes as long as the logarithm of their number.
    fileprivate struct ReadyLines {
        private var heap: [Line] = []

        /// Adds a line, unless it is here or is not ready.
        mutating func insert(_ line: Line) {
            guard line.rank == .max, line.isReady else { return }
            line.rank = line.first
            heap.append(line)
            var index = heap.count - 1
            while index > 0, heap[index].rank < heap[(index - 1) / 2].rank {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        /// Removes the line whose first request has waited longest, of those that are still ready.
        ///
        /// - Returns: the line, and the number of the request by which it was found.
        mutating func removeFirst() -> (Line, rank: UInt64)? {
            while let line = heap.first {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
                sink()
                let rank = line.rank
                line.rank = .max
                if line.isReady { return (line, rank) }
            }
            return nil
        }

        private mutating func sink() {
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                    if heap[child].rank < heap[least].rank { least = child }
                }
                if least == index { return }
                heap.swapAt(index, least)
                index = least
            }
        }
    }
}
