import HalyardHTTP

/// One exchange with an API: made cold by ``HTTPProvider/request(_:)``, started by its first reader, once.
///
/// Readers are callbacks here, and awaits with HalyardAsync. There may be many, and all get the same outcome, also
/// one that comes when it is over. Copies of a request are the same request.
///
/// ```swift
/// api.request(.me)
///     .responseJSON { response in print(response.value?["name"].string ?? "nobody") }
///     .responseData(on: .global()) { response in print(response.status ?? 0, response.data.count) }
/// ```
public struct Request: Sendable {
    private var core: RequestCore

    init(_ route: Route, of provider: any HTTPProvider) { core = RequestCore(route, of: provider) }

    /// Sends the request though nobody reads its response. It has no effect on one that is started already.
    @discardableResult
    public func start() -> Request {
        core.start()
        return self
    }

    /// Where handlers run that are added without a queue.
    var delivery: Delivery { core.provider.delivery }

    /// Adds a reader, which is told the outcome once, on any thread.
    func read(_ reader: @escaping @Sendable (Exchange) -> Void) { core.read(reader) }

    /// The outcome, for an await. Cancelling the task ends the wait at once; when nobody else waits the transfer ends
    /// as well.
    ///
    /// It consumes the request: where that was the only reference, as in `try await api.request(.me).data()`, nobody
    /// can join in later, and the request runs in the caller's own task, without a task or a hop of its own.
    package consuming func outcome() async -> Exchange {
        if isKnownUniquelyReferenced(&core), let exchange = await core.runAlone() { return exchange }
        return await core.outcome()
    }
}

extension Request: CustomStringConvertible {
    /// The method and path of the route.
    public var description: String { "Request(\(core.route))" }
}

extension RequestCore {
    fileprivate func outcome() async -> Exchange {
        let seat = Lock(Seat())
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = read { continuation.resume(returning: $0) }
                // The handler may have run before there was a seat to leave.
                if seat.withLock({ $0.take(id) }) { leave(id) }
            }
        } onCancel: {
            if let id = seat.withLock({ $0.giveUp() }) { leave(id) }
        }
    }

    /// A reader's place, which may be given up before it is taken.
    private struct Seat: Sendable {
        private var id: UInt64?
        private var isGivenUp = false

        mutating func take(_ id: UInt64) -> Bool {
            self.id = id
            return isGivenUp
        }

        mutating func giveUp() -> UInt64? {
            isGivenUp = true
            return id
        }
    }
}
