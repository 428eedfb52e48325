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
    typealias Watcher = @Sendable (RequestProgress) async -> Void

    private struct State: Sendable {
        var requests: [Request] = []
        /// Relays that watch what this one watches.
        var followers: [ProgressRelay] = []
        var watchers: [(id: Int, direction: TransferProgress.Direction, watcher: Watcher)] = []
        var lastID = 0
    }

    private let state = Lock(State())

    init() {}

    init(request: Request) { state.withLock { $0.requests = [request] } }

    /// A relay of all that another one has, and what is added there later.
    init(of source: ProgressRelay) { add(source) }

    /// Adds what another relay has.
    func add(_ source: ProgressRelay) {
        let requests = source.state.withLock { state in
            state.followers.append(self)
            return state.requests
        }
        for request in requests { add(request) }
    }

    /// Adds a watcher of all requests there are, and of those that come. Returns how it can leave.
    func watch(_ direction: TransferProgress.Direction, _ watcher: @escaping Watcher) -> Int {
        let (requests, id) = state.withLock { state in
            state.lastID += 1
            state.watchers.append((state.lastID, direction, watcher))
            return (state.requests, state.lastID)
        }
        for request in requests { Self.watch(request, direction, watcher) }
        return id
    }

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
        for (_, direction, watcher) in watchers { Self.watch(request, direction, watcher) }
        for follower in followers { follower.add(request) }
    }

    private static func watch(
        _ request: Request, _ direction: TransferProgress.Direction, _ watcher: @escaping Watcher
    ) {
        request.watch(direction, onEnd: {}) { await watcher(RequestProgress(request: request, progress: $0)) }
    }
}
