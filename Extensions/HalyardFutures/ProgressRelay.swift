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

/// Passes the progress of all requests in a chain of futures to the chain's handlers.
///
/// Requests are watched only if the chain has handlers.
final class ProgressRelay: Sendable {
    typealias DirectedHandler = (direction: TransferProgress.Direction, handler: Handler<RequestProgress>)

    private struct State: Sendable {
        /// The requests that were added.
        var added: [Request] = []
        /// Relays that receive the requests of this one. The references are weak: each relay belongs to its future, and
        /// a relay that is removed has no handlers.
        var followers: [Follower] = []
        /// The number of followers at which those without a relay are removed.
        var limit = 8
        var handlers: [(id: Int, handler: DirectedHandler)] = []
        var lastID = 0
    }

    private struct Follower: Sendable {
        weak var relay: ProgressRelay?
    }

    /// The request of a future that makes one. It needs no list.
    private let request: Request?
    private let state = Lock(State())

    init(request: Request? = nil) { self.request = request }

    /// Makes a relay that receives all requests of another, including later ones.
    convenience init(of source: ProgressRelay) {
        self.init()
        add(source)
    }

    /// Adds the requests of another relay, including later ones.
    func add(_ source: ProgressRelay) {
        let requests = source.state.withLock { state in
            if state.followers.count >= state.limit {
                state.followers.removeAll { $0.relay == nil }
                state.limit = max(8, 2 * state.followers.count)
            }
            state.followers.append(Follower(relay: self))
            return source.all(state)
        }
        for request in requests { add(request) }
    }

    /// Adds a handler of all requests, including later ones. Returns the number with which ``removeHandler(_:)``
    /// removes it.
    func addHandler(_ handler: DirectedHandler) -> Int {
        let (requests, id) = state.withLock { state in
            state.lastID += 1
            state.handlers.append((state.lastID, handler))
            return (all(state), state.lastID)
        }
        for request in requests { Self.add(handler, to: request) }
        return id
    }

    /// Waits until the handlers on a queue have received the last report of each request that has ended, or the task is
    /// cancelled. `queueID` is the queue; `nil` for all queues.
    func waitForProgress(on queueID: HandlerQueueID?) async {
        await request?.waitForProgress(on: queueID)
        for request in state.withLock(\.added) { await request.waitForProgress(on: queueID) }
    }

    /// The number of followers, for tests.
    var followerCount: Int { state.withLock { $0.followers.count } }

    /// Removes a handler. It still receives the reports of requests that it watches already.
    func removeHandler(_ id: Int) {
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0) }
        }
        _ = removed  // The handler is released here, outside the lock.
    }

    private func all(_ state: State) -> [Request] { (request.map { [$0] } ?? []) + state.added }

    private func add(_ request: Request) {
        let (handlers, followers) = state.withLock { state in
            state.added.append(request)
            return (state.handlers, state.followers)
        }
        for (_, handler) in handlers { Self.add(handler, to: request) }
        for follower in followers { follower.relay?.add(request) }
    }

    private static func add(_ handler: DirectedHandler, to request: Request) {
        let (direction, handler) = handler
        request.addProgressHandler(direction, on: handler.queueID) {
            await handler.call(with: RequestProgress(request: request, progress: $0))
        }
    }
}
