import HalyardHTTP

/// One exchange with an API: made cold by ``HTTPProvider/request(_:)``, started by its first reader, once.
///
/// Readers of the response are callbacks here, and awaits with HalyardAsync. There may be many, and all get the same
/// outcome, also one that comes when it is over. Watching progress starts nothing. Copies of a request are the same
/// request.
///
/// ```swift
/// api.request(.picture(file))
///     .uploadProgress { bar.fraction = $0.fraction ?? 0 }
///     .responseJSON { response in title = response.value?["name"].string ?? "" }
///     .onEnd { spinner.stop() }
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

    /// Starts it, unless somebody does so in the meantime who can say where the body goes.
    package func startSoon() { core.startSoon() }

    /// Ends the request: who reads it gets ``HTTPError`` of kind `cancelled`, once, and so does who is reading its body as
    /// a stream. One that was not started is never sent, one that is over stays as it is. The provider's hooks are not
    /// asked.
    public func cancel() { core.cancel() }

    /// Adds a reader of the outcome.
    func read(_ reader: OutcomeReader, to destination: HTTPRequest.Destination? = nil) {
        core.read(reader, to: destination)
    }

    /// Adds a reader that is told the outcome off the main actor, and waits for no progress handler. Returns how it can
    /// leave.
    package func read(_ reader: @escaping @Sendable (Exchange) async -> Void) -> UInt64 {
        core.read(OutcomeReader(lane: nil, call: reader))
    }

    /// Lets a reader go; when it was the last one the request is called off.
    package func leave(_ id: UInt64) { core.leave(id) }

    func readEnd(_ reader: OutcomeReader) { core.readEnd(reader) }

    /// Watches in a lane, or without one: then awaits alone wait until the last of it is delivered.
    package func watch(
        _ direction: TransferProgress.Direction, in lane: Lane? = nil, onEnd: @escaping @Sendable () -> Void = {},
        _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        core.watch(ProgressReader(direction, lane, onEnd: onEnd, deliver))
    }

    /// Waits until those who watch in a lane, or in all, have been told the last report. It returns at once for a request
    /// that has not ended, and when the task is cancelled.
    package func waitForProgress(in lane: Lane?) async { await core.waitForProgress(in: lane) }

    func watch(_ watcher: ProgressReader) { core.watch(watcher) }

    /// The outcome, for an await. Cancelling the task ends the wait at once; when nobody else waits the transfer ends
    /// as well.
    ///
    /// It consumes the request: where that was the only reference, as in `try await api.request(.me).data()`, nobody
    /// can join in later, and the request runs in the caller's own task, without a task or a hop of its own.
    ///
    /// - Parameter destination: where the body is wanted; only who starts the request can say.
    package nonisolated(nonsending) consuming func outcome(to destination: HTTPRequest.Destination? = nil) async
        -> Exchange
    {
        if isKnownUniquelyReferenced(&core), let exchange = await core.runAlone(to: destination) { return exchange }
        return await core.outcome(to: destination)
    }
}

extension Request: CustomStringConvertible {
    /// The method and path of the route.
    public var description: String { "Request(\(core.route))" }
}

extension RequestCore {
    fileprivate func outcome(to destination: HTTPRequest.Destination?) async -> Exchange {
        let seat = Lock(Seat())
        return await withTaskCancellationHandler {
            let answer = OneShot<Exchange>()
            let id = read(.awaiting(answer), to: destination)
            // The handler may have run before there was a seat to leave.
            if seat.withLock({ $0.take(id) }) { leave(id) }
            let exchange = await answer.take()
            await waitForProgress(after: exchange)
            return exchange
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
