import HalyardHTTP

/// One exchange with an API. ``HTTPProvider/request(_:)`` makes it, and its first reader starts it, once.
///
/// A reader is a handler, or an await with HalyardAsync. A request may have several readers. All of them receive the
/// same outcome, also a reader that comes after the end. Progress handlers do not start the request. Copies of a
/// request are the same request.
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

    /// Starts the request without a reader. It has no effect on a request that has started.
    ///
    /// - Returns: The same request.
    @discardableResult
    public func start() -> Request {
        core.start()
        return self
    }

    /// Starts the request soon, unless a reader that chooses the destination of the body starts it first.
    package func startSoon() { core.startSoon() }

    /// Cancels the request. Its readers receive ``HTTPError`` of kind `cancelled`, once, and so does a reader of its
    /// stream. A request that has not started is never sent. A request that has ended does not change. The provider's
    /// hooks are not called.
    public func cancel() { core.cancel() }

    /// Adds a reader of the outcome.
    func read(_ reader: OutcomeReader, to destination: HTTPRequest.Destination? = nil) {
        core.read(reader, to: destination)
    }

    /// Adds a reader that receives the outcome off the main actor, and does not wait for progress handlers.
    ///
    /// - Returns: The number to pass to ``leave(_:)``.
    package func read(_ reader: @escaping @Sendable (Exchange) async -> Void) -> UInt64 {
        core.read(OutcomeReader(lane: nil, call: reader))
    }

    /// Removes a reader. The request is cancelled if it was the last one.
    package func leave(_ id: UInt64) { core.leave(id) }

    func readEnd(_ reader: OutcomeReader) { core.readEnd(reader) }

    /// Adds a progress handler in a lane. Without a lane, only awaits wait for its last report.
    package func watch(
        _ direction: TransferProgress.Direction, in lane: Lane? = nil, onEnd: @escaping @Sendable () -> Void = {},
        _ deliver: @escaping @Sendable (TransferProgress) async -> Void
    ) {
        core.watch(ProgressReader(direction, lane, onEnd: onEnd, deliver))
    }

    /// Waits until the progress handlers in a lane, or in all lanes, have received the last report. It returns at once
    /// if the request has not ended, or if the task is cancelled.
    package func waitForProgress(in lane: Lane?) async { await core.waitForProgress(in: lane) }

    func watch(_ watcher: ProgressReader) { core.watch(watcher) }

    /// Returns the outcome. Cancelling the task ends the wait at once, and the transfer too if the request has no other
    /// reader.
    ///
    /// It consumes the request. If that was the only reference, as in `try await api.request(.me).data()`, the request
    /// can have no other reader. It then runs in the caller's task, without a task of its own.
    ///
    /// - Parameter destination: The destination of the body, if this reader starts the request.
    /// - Returns: The outcome.
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
            // The cancellation handler may have run before there was a reader to remove.
            if seat.withLock({ $0.take(id) }) { leave(id) }
            let exchange = await answer.take()
            await waitForProgress(after: exchange)
            return exchange
        } onCancel: {
            if let id = seat.withLock({ $0.giveUp() }) { leave(id) }
        }
    }

    /// The number of a reader, which may be removed before it is known.
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
