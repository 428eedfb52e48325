import Halyard

/// The progress of one request in a chain of futures.
public struct RequestProgress: Sendable {
    /// The request. A chain may have several.
    public let request: Request
    /// The progress of the request.
    public let progress: TransferProgress

    /// The number of bytes transferred.
    public var completed: Int64 { progress.completed }
    /// The total number of bytes; `nil` if it is unknown.
    public var total: Int64? { progress.total }
    /// The completed fraction, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? { progress.fraction }
}

/// Passes the progress of all requests in a chain of futures to the chain's watchers.
///
/// Requests are watched only if the chain has watchers.
final class ProgressRelay: Sendable {
    struct Watcher: Sendable {
        let direction: TransferProgress.Direction
        let lane: Lane
        let deliver: @Sendable (RequestProgress) async -> Void
    }

    private struct State: Sendable {
        var requests: [Request] = []
        /// Relays that receive the requests of this one. The references are weak: each relay belongs to its future, and a
        /// relay that is gone has no watchers.
        var followers: [Follower] = []
        /// The number of followers at which those that are gone are removed.
        var limit = 8
        var watchers: [(id: Int, watcher: Watcher)] = []
        var lastID = 0
    }

    private struct Follower: Sendable {
        weak var relay: ProgressRelay?
    }

    private let state = Lock(State())

    init() {}

    /// Makes a relay of one request.
    init(request: Request) { state.withLock { $0.requests = [request] } }

    /// Makes a relay that receives all requests of another, including later ones.
    init(of source: ProgressRelay) { add(source) }

    /// Adds the requests of another relay, including later ones.
    func add(_ source: ProgressRelay) {
        let requests = source.state.withLock { state in
            if state.followers.count >= state.limit {
                state.followers.removeAll { $0.relay == nil }
                state.limit = max(8, 2 * state.followers.count)
            }
            state.followers.append(Follower(relay: self))
            return state.requests
        }
        for request in requests { add(request) }
    }

    /// Adds a watcher of all requests, including later ones.
    ///
    /// - Returns: The number with which ``leave(_:)`` removes it.
    func watch(_ watcher: Watcher) -> Int {
        let (requests, id) = state.withLock { state in
            state.lastID += 1
            state.watchers.append((state.lastID, watcher))
            return (state.requests, state.lastID)
        }
        for request in requests { Self.watch(request, watcher) }
        return id
    }

    /// Waits until the watchers on a queue have received the last report of each request that has ended, or the task is
    /// cancelled.
    ///
    /// - Parameter lane: The queue; `nil` for all queues.
    func waitForProgress(in lane: Lane?) async {
        for request in state.withLock(\.requests) { await request.waitForProgress(in: lane) }
    }

    /// The number of followers, for tests.
    var followerCount: Int { state.withLock { $0.followers.count } }

    /// Removes a watcher. It still receives the reports of requests that it watches already.
    func leave(_ id: Int) {
        let gone = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        _ = gone  // The watcher is released here, outside the lock.
    }

    private func add(_ request: Request) {
        let (watchers, followers) = state.withLock { state in
            state.requests.append(request)
            return (state.watchers, state.followers)
        }
        for (_, watcher) in watchers { Self.watch(request, watcher) }
        for follower in followers { follower.relay?.add(request) }
    }

    private static func watch(_ request: Request, _ watcher: Watcher) {
        request.watch(watcher.direction, in: watcher.lane) {
            await watcher.deliver(RequestProgress(request: request, progress: $0))
        }
    }
}
