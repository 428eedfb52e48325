import HalyardHTTP

/// The requests that a host of stubs has received, and the tasks that wait for one.
struct RequestRecord: Sendable {
    private var stored: [RecordedRequest] = []
    /// The number of requests so far, also those that are no longer kept.
    private var count = 0
    private let limit: Int
    /// The tasks that wait for a request, each with the number of the request, from 1.
    private var waiters: [Int: (number: Int, waiter: CancellableWaiter<RecordedRequest>)] = [:]
    private var lastWaiterID = 0

    /// Makes an empty record.
    ///
    /// - Parameter limit: The number of requests that are kept: the latest ones. Defaults to all.
    init(limit: Int = .max) { self.limit = limit }

    /// The requests that are kept, in their order.
    var requests: [RecordedRequest] { stored.suffix(limit) }

    mutating func append(_ request: RecordedRequest) {
        if limit > 0 { stored.append(request) }
        count += 1
        for (number, waiter) in waiters.values where number == count { waiter.end(with: .success(request)) }
        // Many records are removed at once, which is cheaper.
        if stored.count / 2 >= limit { stored.removeFirst(limit) }
    }

    fileprivate mutating func wait(
        for number: Int, _ host: String
    ) -> (id: Int, waiter: CancellableWaiter<RecordedRequest>) {
        let waiter = CancellableWaiter<RecordedRequest>()
        let first = count - stored.count + 1
        if number >= first, number <= count {
            waiter.end(with: .success(stored[number - first]))
        } else if number <= count {
            let description = "Request \(number) to the \(host) is not kept: there is a record limit."
            waiter.end(with: .failure(WaitTimeout(description: description)))
        }
        lastWaiterID += 1
        waiters[lastWaiterID] = (number, waiter)
        return (lastWaiterID, waiter)
    }

    fileprivate mutating func removeWaiter(_ id: Int) { waiters[id] = nil }
}

extension Lock {
    /// Waits for a request to be recorded.
    ///
    /// - Parameters:
    ///   - number: The number of the request, from 1.
    ///   - host: What receives the requests, for the error's reason.
    /// - Throws: ``WaitTimeout``, or `CancellationError`.
    func request(
        _ number: Int, in record: any WritableKeyPath<State, RequestRecord> & Sendable, within limit: Duration,
        from host: String
    ) async throws -> RecordedRequest {
        let (id, waiter) = withLock { $0[keyPath: record].wait(for: number, host) }
        defer { withLock { $0[keyPath: record].removeWaiter(id) } }
        return try await waiter.value(within: limit) { "Request \(number) to the \(host) did not come in \(limit)." }
    }
}
