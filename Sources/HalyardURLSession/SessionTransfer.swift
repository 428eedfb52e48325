import Dispatch
import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: who waits for it, until when, and what has come so far.
///
/// URLSession tells what happens on the session's queue; a cancelled task and the clock end it from elsewhere. So it has
/// one outcome: the first.
final class Exchange: Sendable {
    private struct State: Sendable {
        var isOver = false
        var task: URLSessionTask?
        /// The task that watches the time.
        var watch: Task<Void, Never>?
        /// What to do at the end, whatever that is.
        var cleanups: [@Sendable () -> Void] = []
        /// What has come. It is taken out while the session's queue, and nobody else, works on it.
        var incoming: Incoming?
        var upload: ProgressMeter
        /// The body's stream once it was handed over: who reads it is told of the end.
        var pipe: BytePipe?
        var clock: ExchangeClock

        mutating func takeIncoming() -> Incoming? {
            clock.touch()
            return incoming.take()
        }
    }

    let request: HTTPRequest
    /// The outcome, for who waits.
    let answer = Answer<Result<HTTPResponse, any Error>>()
    private let queue: OperationQueue
    private let state: Lock<State>

    init(
        _ request: HTTPRequest, _ context: TransferContext, _ configuration: EngineConfiguration, queue: OperationQueue
    ) {
        self.request = request
        self.queue = queue
        state = Lock(
            State(
                incoming: Incoming(request, context, configuration),
                upload: ProgressMeter(.upload, total: request.body?.length, step: 1, context.progress),
                clock: ExchangeClock(context)))
    }
}

// Who waits.
extension Exchange {
    /// Starts the clock. False when the exchange was cancelled before.
    func begin() -> Bool {
        let watch = Task { [weak self] in
            while let wake = self?.state.withLock({ $0.clock.nextLook() }) {
                do { try await Task.sleep(until: wake, clock: .continuous) } catch { return }
                self?.checkTime()
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.watch = watch }
            return state.isOver
        }
        if isOver { watch.cancel() }
        return !isOver
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Tells URLSession something, unless the exchange is over. The task is cancelled only when it is: so URLSession, which
    /// works off both on one queue, gets this first.
    ///
    /// - Parameter tell: what hands something on to URLSession's queue, and returns at once.
    func unlessOver(_ tell: () -> Void) { state.withLock { if !$0.isOver { tell() } } }

    private func checkTime() {
        guard let error = state.withLock({ $0.clock.overdue() }) else { return }
        end(with: .failure(error.of(request)))
    }

    /// Starts the task that carries the exchange. False when that has ended.
    func resume(_ task: URLSessionTask) -> Bool {
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() } else { task.resume() }
        return !isOver
    }

    /// Does something at the end of the exchange, or now if that has come.
    func atEnd(_ cleanup: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.cleanups.append(cleanup) }
            return state.isOver
        }
        if isOver { cleanup() }
    }

    func fail(_ error: any Error) { end(with: .failure((error as? HTTPError)?.of(request) ?? error)) }

    /// Tells whoever waits how it ended. Only the first call counts.
    func end(with outcome: Result<HTTPResponse, any Error>, _ ending: BytePipe.Ending = BytePipe.Ending()) {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            let ended = state
            state.isOver = true
            (state.task, state.watch, state.pipe) = (nil, nil, nil)
            (state.cleanups, state.incoming) = ([], nil)
            return ended
        }
        guard let ended else { return }
        ended.watch?.cancel()
        if case .failure(let error) = outcome {
            // Elsewhere: cancelling may wait for URLSession, and whoever calls may be anybody. Not on the session's queue,
            // where it would stand behind all that a server has sent meanwhile, without an end perhaps.
            if let task = ended.task { DispatchQueue.global().async { task.cancel() } }
            ended.pipe?.finish(throwing: error, with: ending)
        } else {
            ended.pipe?.finish(with: ending)
        }
        answer.give(outcome)
        for cleanup in ended.cleanups { cleanup() }
    }
}

// What URLSession tells, on its queue.
extension Exchange {
    func received(_ response: URLResponse) { work { try $0.receive(response) } }

    func received(_ data: Data) { work { try $0.receive(data) } }

    func sent(_ count: Int64) {
        var meter = state.withLock { state in
            state.clock.touch()
            return state.upload
        }
        // What is sent again is not told again.
        guard count > meter.completed else { return }
        meter.advance(to: count)
        state.withLock { $0.upload = meter }
    }

    /// The task has ended.
    func completed(_ task: URLSessionTask, _ error: (any Error)?) {
        if let error {
            return end(with: .failure((error as? URLError).map { HTTPError($0, request) } ?? error))
        }
        var meter = state.withLock { $0.upload }
        if request.body != nil { meter.finish() }
        work { try $0.complete(task) }
    }

    /// Lets the session's queue work on what has come, and does what follows.
    private func work(_ step: (inout Incoming) throws -> Incoming.Action) {
        guard var incoming = state.withLock({ $0.takeIncoming() }) else { return }
        do {
            let action = try step(&incoming)
            state.withLock { state in
                state.clock.isHeldUp = incoming.isHeldUp
                if !state.isOver { state.incoming = incoming }
            }
            perform(action)
        } catch { fail(error) }
    }

    private func perform(_ action: Incoming.Action) {
        switch action {
        case .goOn: break
        case .handOver(let response, let pipe): handOver(response, pipe)
        case .hold:
            // Elsewhere a suspended task starts its request again when it goes on, and joins the bodies.
            #if canImport(Darwin)
                state.withLock { $0.task }?.suspend()
            #endif
        case .release:
            #if canImport(Darwin)
                state.withLock { $0.task }?.resume()
            #endif
        case .finish(let response, let ending, let early):
            let task = state.withLock { $0.task }
            end(with: .success(response), ending)
            if early { task?.cancel() }
        }
    }

    /// Gives the response to whoever waits, while its body is still to come.
    private func handOver(_ response: HTTPResponse, _ pipe: BytePipe) {
        // Held on purpose, until the end: when all has come nobody else holds it, and the reader may be behind.
        pipe.onChange { [self, weak pipe] in
            if pipe?.isClosed ?? true { return end(with: .failure(CancellationError())) }
            queue.addOperation { self.work { try $0.drain() } }
        }
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.pipe = pipe
            state.clock.deadline = nil  // what the reader makes of it takes as long as it takes
            return false
        }
        if !isOver { answer.give(.success(response)) }
    }
}
