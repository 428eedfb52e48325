import Halyard
import HalyardHTTP

/// The stubs of a ``StubHost`` and the requests that it has received.
public final class StubRegistry: Sendable {
    private struct State: Sendable {
        var table = StubTable()
        var record: RequestRecord
    }

    private let state: Lock<State>
    private let host: String

    /// Makes a registry without stubs.
    ///
    /// - Parameters:
    ///   - host: What receives the requests, for messages.
    ///   - recordLimit: The number of requests that are kept: the latest ones.
    init(of host: String, recordLimit: Int = .max) {
        self.host = host
        state = Lock(State(record: RequestRecord(limit: recordLimit)))
        StubCollector.current?.add { [state] in state.withLock { $0.table.problems } }
    }

    func add(_ stub: Stub) { state.withLock { $0.table.set(stub) } }

    var requests: [RecordedRequest] { state.withLock { $0.record.requests } }

    /// What ``StubHost/verify(order:)`` finds, each as a sentence. Empty if nothing is wrong.
    var problems: [String] { state.withLock { $0.table.problems } }

    /// The stubs in the order of the requests, each as its method and pattern.
    var order: [String] { requests.compactMap(\.stub) }

    /// Records a request, and returns its response. `basePath` is the path of the provider's base URL, which patterns
    /// may leave out. Throws ``UnmatchedRequest``, or the error of the stub's closure.
    func response(to request: RecordedRequest, below basePath: String?) throws -> StubResponse {
        var request = request
        let (reply, names) = state.withLock { state in
            let reply = state.table.reply(to: &request, below: basePath)
            state.record.append(request)
            return (reply, reply == nil ? state.table.names(nearest: request, below: basePath) : [])
        }
        guard let reply else { throw UnmatchedRequest(request: request, names: names) }
        return try reply.response(to: request)
    }

    /// Waits for a request. Throws ``TestingError``, or `CancellationError`.
    func request(_ number: Int, within limit: Duration) async throws -> RecordedRequest {
        let (id, waiter) = state.withLock { $0.record.wait(for: number, host) }
        defer { state.withLock { $0.record.removeWaiter(id) } }
        return try await waiter.value(within: limit) { [host] in
            "Request \(number) to the \(host) did not come in \(limit)."
        }
    }

    /// Releases the closures of all stubs, which may refer to the host. The counts are kept.
    func releaseReplies() {
        // The closures are released here and not under the lock, because releasing a closure may run user code.
        _ = state.withLock { $0.table.releaseReplies() }
    }
}

/// A request that no stub matches, with all stubs, the most similar one first.
struct UnmatchedRequest: Error {
    let request: RecordedRequest
    let names: [String]
}

/// The requests that a host of stubs has received, and the tasks that wait for one.
private struct RequestRecord: Sendable {
    private var stored: [RecordedRequest] = []
    /// The number of requests so far, also those that are no longer kept.
    private var count = 0
    private let limit: Int
    /// The tasks that wait for a request, each with the number of the request, from 1.
    private var waiters: [Int: (number: Int, waiter: CancellableWaiter<RecordedRequest>)] = [:]
    private var lastWaiterID = 0

    /// Makes an empty record. `limit` is the number of requests that are kept: the latest ones. Defaults to all.
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

    mutating func wait(
        for number: Int, _ host: String
    ) -> (id: Int, waiter: CancellableWaiter<RecordedRequest>) {
        let waiter = CancellableWaiter<RecordedRequest>()
        let first = count - stored.count + 1
        if number >= first, number <= count {
            waiter.end(with: .success(stored[number - first]))
        } else if number <= count {
            let description = "Request \(number) to the \(host) is not kept: there is a record limit."
            waiter.end(with: .failure(TestingError(description)))
        }
        lastWaiterID += 1
        waiters[lastWaiterID] = (number, waiter)
        return (lastWaiterID, waiter)
    }

    mutating func removeWaiter(_ id: Int) { waiters[id] = nil }
}

/// Collects the hosts of stubs that a test makes, so that they can be verified at its end.
package final class StubCollector: Sendable {
    /// The collector of the current task. `nil` outside a test that verifies its stubs.
    @TaskLocal package static var current: StubCollector?

    private let problemsOfHosts = Lock<[@Sendable () -> [String]]>([])

    package init() {}

    func add(_ problems: @escaping @Sendable () -> [String]) { problemsOfHosts.withLock { $0.append(problems) } }

    package var problems: [String] { problemsOfHosts.withLock(\.self).flatMap { $0() } }
}
