import HalyardHTTP

/// Decides which requests start now and which wait for a connection.
///
/// libcurl gets as many transfers at a time for one origin as that origin may have connections, and more where a
/// connection carries several transfers. All other requests wait here, first in, first out.
///
/// libcurl could queue them itself, but it counts the time in its queue as part of the connect timeout (at least since
/// 8.12). A request that waits here takes less than a kilobyte of memory; in libcurl it takes dozens. And with a queue
/// per origin no origin delays another.
///
/// This is a plain value: it performs no I/O, and reads no clock but that of the stored offers. The event loop owns it.
struct ConnectionLimiter {
    struct Waiting {
        let request: PendingTransfer
        let queue: OriginQueue
        let since: MonotonicInstant

        /// The time at which the request times out.
        var deadline: MonotonicInstant? { request.context.timeout.flatMap(since.advanced(by:)) }
    }

    private let connectionsPerOrigin: Int
    private let connectionLimit: Int
    private let usesPriorKnowledge: Bool
    private let assumesHTTP3: Bool
    private let storedOffers: AlternativeServiceStore?
    private let proxy: EngineConfiguration.Proxy
    /// The queues by origin. All origins that the forward proxy handles share the queue under `nil`.
    private var queues: [Origin?: OriginQueue] = [:]
    /// The queue of the last request. Consecutive requests often have the same origin, and the lookup is slow.
    private var lastQueue: OriginQueue?
    private var waiting: [UInt64: Waiting] = [:]
    /// The number of connections in use: one for each transfer, or one for all transfers of a multiplexed queue.
    private var activeConnections = 0
    /// Origins that have multiplexed before. They are remembered although their queue may be gone.
    private var multiplexedOrigins: Set<Origin> = []
    /// Origins that have claimed HTTP/2 falsely, and whose queue may be gone.
    private var falseOrigins: Set<Origin?> = []
    /// What is known of origins that offer HTTP/3, and whose queue may be gone.
    private var http3: [Origin: HTTP3Availability] = [:]
    /// The queues whose first request could start if there were a connection.
    private var readyQueues = OriginQueueHeap()
    /// Whether a request may be waiting for a connection of another origin. While `false`, `readyQueues` is not kept.
    private var isTotalLimitReached = false

    /// Makes a limiter without requests. `connectionLimit` is the maximum number of connections to all origins
    /// together.
    init(_ configuration: EngineConfiguration, connectionLimit: Int) {
        connectionsPerOrigin = min(max(1, configuration.connectionsPerHost), 1 << 20)
        self.connectionLimit = connectionLimit
        usesPriorKnowledge = configuration.httpVersion == .http2
        assumesHTTP3 = configuration.httpVersion == .http3
        storedOffers = assumesHTTP3 ? nil : configuration.alternativeServices
        proxy = configuration.proxy
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Admits a request, or adds it to the queue of its origin. Returns the queue of a request that starts now; the
    /// caller passes it to ``release(_:)`` when the transfer has ended. `nil` for a request that waits.
    mutating func admit(_ request: PendingTransfer, now: MonotonicInstant) -> OriginQueue? {
        let queue = queue(for: request.request.origin, now)
        if queue.waitingCount == 0 && hasCapacity(queue) {
            occupy(queue)
            return queue
        }
        if queue.activeCount < queue.limit { isTotalLimitReached = true }
        queue.append(request.id)
        waiting[request.id] = Waiting(request: request, queue: queue, since: now)
        noteReady(queue)
        return nil
    }

    private mutating func noteReady(_ queue: OriginQueue) {
        if isTotalLimitReached { readyQueues.insert(queue) }
    }

    /// Records that a transfer of a queue has ended. Call ``admitNext(after:)`` afterwards until it returns `nil`.
    mutating func release(_ queue: OriginQueue) {
        queue.activeCount -= 1
        if !queue.isMultiplexed || queue.activeCount == 0 { activeConnections -= 1 }
        noteReady(queue)
    }

    /// Records that the connections of a queue carry more than one transfer at a time. Call ``admitNext(after:)``
    /// afterwards until it returns `nil`.
    mutating func markMultiplexed(_ queue: OriginQueue) {
        guard !queue.isMultiplexed && !queue.usesOnlyHTTP1 && canMultiplex(queue.origin) else { return }
        queue.markMultiplexed()
        noteReady(queue)
        activeConnections -= max(0, queue.activeCount - 1)
        if multiplexedOrigins.count >= 1000 { multiplexedOrigins = [] }
        if let origin = queue.origin { multiplexedOrigins.insert(origin) }
    }

    /// libcurl 7.88 opens a connection for each request where it speaks HTTP/2 without TLS. It never speaks HTTP/2 to a
    /// forward proxy.
    private func canMultiplex(_ origin: Origin?) -> Bool {
        guard let origin else { return false }
        return origin.scheme == "https" || CurlLibrary.multiplexesCleartextHTTP2
    }

    /// Admits the next waiting request after something has become free. `queue` is the queue in which a transfer has
    /// ended, or which has become multiplexed. Returns the admitted request, of this queue or another; `nil` if no
    /// other request can start.
    mutating func admitNext(after queue: OriginQueue) -> Waiting? {
        let own = isTotalLimitReached && !queue.isMultiplexed ? nil : admitFirst(of: queue)
        let next = own ?? (isTotalLimitReached ? admitLongestWaiting() : nil)
        if next == nil { forgetIfIdle(queue) }
        return next
    }

    /// Admits the longest waiting request whose own origin has room, and that waits only for the limit of all
    /// connections.
    private mutating func admitLongestWaiting() -> Waiting? {
        guard activeConnections < connectionLimit else { return nil }
        while let (queue, rank) = readyQueues.removeFirst() {
            queue.removeCancelled { waiting[$0] == nil }
            // The request that determined the position in the heap was cancelled. Another queue may come first now.
            if queue.firstID > rank {
                readyQueues.insert(queue)
                continue
            }
            guard let next = admitFirst(of: queue) else { continue }
            readyQueues.insert(queue)
            return next
        }
        isTotalLimitReached = false
        return nil
    }

    /// Forgets a queue without requests. The last used queue is kept until a request for another origin arrives.
    private mutating func forgetIfIdle(_ queue: OriginQueue) {
        guard queue.isIdle && queue !== lastQueue && queues[queue.origin] === queue else { return }
        queues[queue.origin] = nil
        if queue.usesOnlyHTTP1 { falseOrigins.insert(queue.origin) }
        guard queue.http3.isLearned, let origin = queue.origin else { return }
        if http3.count >= 1000 { http3 = [:] }
        http3[origin] = queue.http3
    }

    private func hasCapacity(_ queue: OriginQueue) -> Bool {
        queue.activeCount < queue.limit
            && (queue.isMultiplexed && queue.activeCount > 0 || activeConnections < connectionLimit)
    }

    private mutating func occupy(_ queue: OriginQueue) {
        if !queue.isMultiplexed || queue.activeCount == 0 { activeConnections += 1 }
        queue.activeCount += 1
    }

    private mutating func admitFirst(of queue: OriginQueue) -> Waiting? {
        guard queue.waitingCount > 0 && hasCapacity(queue) else { return nil }
        while let id = queue.removeFirst() {
            guard let next = waiting.removeValue(forKey: id) else { continue }
            queue.waitingCount -= 1
            occupy(queue)
            return next
        }
        return nil
    }

    private mutating func queue(for origin: Origin, _ now: MonotonicInstant) -> OriginQueue {
        if let lastQueue, lastQueue.origin == origin { return lastQueue }
        let origin = proxy.forwards(origin) ? nil : origin
        let queue = queues[origin] ?? makeQueue(origin, now)
        queues[origin] = queue
        let previous = lastQueue
        lastQueue = queue
        if let previous { forgetIfIdle(previous) }
        return queue
    }

    private func makeQueue(_ origin: Origin?, _ now: MonotonicInstant) -> OriginQueue {
        let queue = OriginQueue(origin, limit: connectionsPerOrigin)
        if usesPriorKnowledge && canMultiplex(origin) || origin.map(multiplexedOrigins.contains) == true {
            queue.markMultiplexed()
        }
        queue.http3 = origin.flatMap { http3[$0] ?? storedState($0, now) } ?? HTTP3Availability(isAssumed: assumesHTTP3)
        // After so many false origins all are suspect: the memory for them must have a limit.
        if falseOrigins.count >= 1000 || falseOrigins.contains(origin) { queue.usesOnlyHTTP1 = true }
        return queue
    }

    private func storedState(_ origin: Origin, _ now: MonotonicInstant) -> HTTP3Availability? {
        storedOffers?.lifetime(of: origin).map { HTTP3Availability(offeredFor: $0, now) }
    }

    /// Removes a waiting request. Returns the request; `nil` if no request of this number waits.
    mutating func remove(_ id: UInt64) -> PendingTransfer? {
        guard let removed = waiting.removeValue(forKey: id) else { return nil }
        removed.queue.waitingCount -= 1
        forgetIfIdle(removed.queue)
        return removed.request
    }

    mutating func removeAll() -> [PendingTransfer] { waiting.keys.compactMap { remove($0) } }

    /// Removes the waiting requests that have timed out and returns them. `deadline` receives the deadlines of the
    /// other waiting requests.
    mutating func removeOverdue(_ now: MonotonicInstant, _ deadline: inout EarliestDeadline) -> [PendingTransfer] {
        var overdue: [UInt64] = []
        for (id, entry) in waiting {
            guard let limit = entry.deadline else { continue }
            if limit <= now { overdue.append(id) } else { deadline.include(limit) }
        }
        return overdue.compactMap { remove($0) }
    }
}
