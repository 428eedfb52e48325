import HalyardHTTP

/// The requests of one origin: the number of running transfers, and the numbers of the requests that wait.
///
/// A transfer keeps a reference to its queue until it has ended, because looking up an origin is slow. Only
/// ``ConnectionLimiter`` changes a queue.
final class OriginQueue {
    /// The origin; `nil` for the queue that all origins behind a forward proxy share.
    let origin: Origin?
    /// The maximum number of running transfers.
    private(set) var limit: Int
    /// Whether a connection of this origin carries more than one transfer at a time.
    private(set) var isMultiplexed = false
    /// Whether a server of this origin has claimed HTTP/2 in a status line of HTTP/1.1. Its connections are then used for
    /// HTTP/1.1 only.
    var usesOnlyHTTP1 = false
    /// Whether requests try HTTP/3.
    var http3 = HTTP3Availability()
    /// The number of requests that libcurl has not started yet. Only ``RequestBatch`` changes it, the socket and the port.
    var newCount = 0
    /// The socket of an HTTP/2 connection.
    var socket: CInt?
    /// The local port of the connection whose socket was looked for last.
    var lastPort: CInt = 0
    /// The number of running transfers.
    var activeCount = 0
    /// The number of waiting requests.
    var waitingCount = 0
    /// The waiting requests by number, and the numbers of requests that were cancelled while they waited.
    private var ids = FIFO<UInt64>()
    /// The position in an ``OriginQueueHeap``: the number of the first request when the queue was inserted. `.max` for
    /// a queue that is in no heap.
    fileprivate var heapRank = UInt64.max

    init(_ origin: Origin?, limit: Int) {
        self.origin = origin
        self.limit = limit
    }

    /// Whether no request runs or waits.
    var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

    /// Records that a connection carries several transfers, and raises the limit accordingly.
    ///
    /// An HTTP/2 connection usually carries about a hundred streams (RFC 9113 section 6.5.2). libcurl keeps a few more
    /// transfers than that, so that a stream that ends is replaced at once.
    func markMultiplexed() {
        isMultiplexed = true
        limit += 128
    }

    /// Adds a request at the end.
    func append(_ id: UInt64) {
        ids.append(id)
        waitingCount += 1
    }

    /// The number of the first request; `.max` if there is none.
    var firstID: UInt64 { ids.first ?? .max }

    /// Whether a request waits that the limit of its own origin would let start.
    var isReady: Bool { waitingCount > 0 && activeCount < limit }

    /// Removes cancelled requests from the front.
    func removeCancelled(_ isCancelled: (UInt64) -> Bool) {
        while let first = ids.first, isCancelled(first) { _ = ids.removeFirst() }
    }

    /// Removes the first number and returns it. The caller counts down `waitingCount` unless the request was cancelled.
    func removeFirst() -> UInt64? { ids.removeFirst() }
}

/// The queues with a request that could start if there were a connection, ordered by the age of their first request.
///
/// A binary heap: each operation takes time proportional to the logarithm of the number of origins.
struct OriginQueueHeap {
    private var heap: [OriginQueue] = []

    /// Inserts a queue, unless it is in the heap already or has no request that could start.
    mutating func insert(_ queue: OriginQueue) {
        guard queue.heapRank == .max, queue.isReady else { return }
        queue.heapRank = queue.firstID
        heap.append(queue)
        var index = heap.count - 1
        while index > 0, heap[index].heapRank < heap[(index - 1) / 2].heapRank {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes the queue whose first request is the oldest. Queues that are no longer ready are dropped. Returns the
    /// queue, and the number of the request that determined its position. That request may have been cancelled since.
    mutating func removeFirst() -> (OriginQueue, rank: UInt64)? {
        while let queue = heap.first {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            siftDown()
            let rank = queue.heapRank
            queue.heapRank = .max
            if queue.isReady { return (queue, rank) }
        }
        return nil
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].heapRank < heap[least].heapRank { least = child }
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
