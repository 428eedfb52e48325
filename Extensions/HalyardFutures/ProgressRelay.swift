import Halyard

/// How far a request of a chain has come, and which request that is.
public struct RequestProgress: Sendable {
    /// The request: a chain may have several.
    public let request: Request
    /// How far it has come.
    public let progress: TransferProgress

    /// How many bytes went by.
    public var completed: Int64 { progress.completed }
    /// How many there are in all, where that is known.
    public var total: Int64? { progress.total }
    /// Completed of total, 0...1, where the total is known.
    public var fraction: Double? { progress.fraction }
}

/// The progress of a chain of futures: of each request in it, for everybody who watches.
///
/// Requests are watched only when somebody watches the chain.
final class ProgressRelay: Sendable {
    struct Watcher: Sendable {
        let direction: TransferProgress.Direction
        let lane: Lane
        let deliver: @Sendable (RequestProgress) async -> Void
    }

    private struct State: Sendable {
        var requests: [Request] = []
        /// Relays that watch what this one watches. Each is held by its future, and that by the one it waits for: so one
        /// that is gone can be told of nothing more.
        var followers: [Follower] = []
        /// How many followers there may be before those that are gone are taken out.
        var limit = 8
        var watchers: [(id: Int, watcher: Watcher)] = []
        var lastID = 0
    }

    private struct Follower: Sendable {
        weak var relay: ProgressRelay?
    }

    private let state = Lock(State())

    init() {}

    init(request: Request) { state.withLock { $0.requests = [request] } }

    /// A relay of all that another one has, and what is added there later.
    init(of source: ProgressRelay) { add(source) }

    /// Adds what another relay has.
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

    /// Adds a watcher of all requests there are, and of those that come. Returns how it can leave.
    func watch(_ watcher: Watcher) -> Int {
        let (requests, id) = state.withLock { state in
            state.lastID += 1
            state.watchers.append((state.lastID, watcher))
            return (state.requests, state.lastID)
        }
        for request in requests { Self.watch(request, watcher) }
        return id
    }

    /// Waits until those who watch in a lane, or in all, have been told the last report of each request that has ended; or
    /// until the task is cancelled.
    func endWatching(in lane: Lane?) async {
        for request in state.withLock(\.requests) { await request.endWatching(in: lane) }
    }

    /// How many followers are kept in mind.
    var followerCount: Int { state.withLock { $0.followers.count } }

    /// Lets a watcher go: those requests that it watches already it watches to their end.
    func leave(_ id: Int) {
        let gone = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        _ = gone  // what it holds is let go here, unlocked
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
