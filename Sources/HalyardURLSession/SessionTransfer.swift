import Dispatch
import HalyardFoundationNetworking
import HalyardHTTP

/// One running request: its caller, its time limits, and the part of the response that has arrived.
///
/// URLSession reports events on the session's delegate queue. A cancelled task and a time limit end the transfer on
/// other threads. One lock protects the state, and the first outcome is the only one.
final class SessionTransfer: Sendable {
    private struct State: Sendable {
        var hasEnded = false
        var task: URLSessionTask?
        /// The number of calls of ``ifRunning(_:)`` that have not returned, and the task to cancel after the last of them.
        var calls = 0
        var cancelledTask: URLSessionTask?
        /// The task that enforces the time limits.
        var timeoutTask: Task<Void, Never>?
        /// Actions to perform at the end, whatever the outcome.
        var cleanups: [@Sendable () -> Void] = []
        /// The part of the response that has arrived. It is absent while the delegate queue works on it.
        var response: ResponseAssembler?
        var upload: ProgressMeter
        /// The body's stream after it was delivered. Its reader receives the outcome.
        var pipe: BytePipe?
        var timeouts: TransferTimeouts

        mutating func takeResponse() -> ResponseAssembler? {
            timeouts.recordActivity()
            return response.take()
        }
    }

    let request: HTTPRequest
    /// Whether the body follows the server's 100.
    let expectsContinue: Bool
    /// The outcome, for the caller.
    let outcome = OneShot<Result<HTTPResponse, any Error>>()
    private let queue: OperationQueue
    private let state: Lock<State>

    /// Makes a transfer that has no URLSession task yet.
    init(
        _ request: HTTPRequest, _ context: TransferContext, _ configuration: EngineConfiguration, queue: OperationQueue
    ) {
        self.request = request
        self.queue = queue
        expectsContinue = context.expectsContinue && request.body != nil
        state = Lock(
            State(
                response: ResponseAssembler(request, context, configuration),
                upload: ProgressMeter(.upload, total: request.body?.length, step: 1, context.progress),
                timeouts: TransferTimeouts(context)))
    }
}

// The start and the end, on any thread.
extension SessionTransfer {
    /// Starts to enforce the time limits. Returns `false` if the transfer was cancelled before.
    func startTimeouts() -> Bool {
        let timeoutTask = Task { [weak self] in
            while let next = self?.state.withLock({ $0.timeouts.nextCheck() }) {
                do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
                self?.checkTimeouts()
            }
        }
        let isRunning = whileRunning { $0.timeoutTask = timeoutTask }
        if !isRunning { timeoutTask.cancel() }
        return isRunning
    }

    /// Changes the state unless the transfer has ended. Returns whether it has not.
    private func whileRunning(_ change: (inout State) -> Void) -> Bool {
        state.withLock { state in
            if !state.hasEnded { change(&state) }
            return !state.hasEnded
        }
    }

    private func checkTimeouts() {
        guard let error = state.withLock({ $0.timeouts.timeoutError() }) else { return }
        fail(error)
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Calls a completion handler of URLSession unless the transfer has ended.
    ///
    /// The URLSession task is cancelled only after the transfer has ended. URLSession handles both on one queue, so it
    /// receives this call before the cancellation.
    func ifRunning(_ body: () -> Void) {
        guard whileRunning({ $0.calls += 1 }) else { return }
        body()
        let task = state.withLock { state in
            state.calls -= 1
            return state.calls == 0 ? state.cancelledTask.take() : nil
        }
        if let task { Self.cancel(task) }
    }

    /// Cancels a task of URLSession.
    ///
    /// It may block until URLSession is ready, so it is done on another thread. It is not done on the delegate queue,
    /// where it would wait behind everything that the server has sent.
    private static func cancel(_ task: URLSessionTask) { DispatchQueue.global().async { task.cancel() } }

    /// Starts the URLSession task of the transfer. Returns `false` if the transfer has ended. The task is then
    /// cancelled.
    func start(_ task: URLSessionTask) -> Bool {
        let isRunning = whileRunning { $0.task = task }
        if isRunning { task.resume() } else { task.cancel() }
        return isRunning
    }

    /// Performs an action when the transfer ends, or now if it has ended.
    func onEnd(_ cleanup: @escaping @Sendable () -> Void) {
        if !whileRunning({ $0.cleanups.append(cleanup) }) { cleanup() }
    }

    /// Ends the transfer with an error.
    func fail(_ error: any Error) { end(with: .failure(error)) }

    /// Ends the transfer and resumes its caller. The request and the head are added to an error. Only the first call has an effect.
    func end(with outcome: Result<HTTPResponse, any Error>, _ ending: BytePipe.Ending = BytePipe.Ending()) {
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            var ended = state
            if case .failure = outcome, state.calls > 0 {
                state.cancelledTask = state.task
                ended.task = nil
            }
            state.hasEnded = true
            (state.task, state.timeoutTask, state.pipe) = (nil, nil, nil)
            (state.cleanups, state.response) = ([], nil)
            return ended
        }
        guard let ended else { return }
        let outcome = outcome.mapError {
            ($0 as? HTTPError)?.adding(request: request, response: ended.response?.head) ?? $0
        }
        ended.timeoutTask?.cancel()
        if case .failure(let error) = outcome {
            if let task = ended.task { Self.cancel(task) }
            ended.pipe?.finish(throwing: error, with: ending)
        } else {
            ended.pipe?.finish(with: ending)
        }
        self.outcome.fulfill(outcome)
        for cleanup in ended.cleanups { cleanup() }
    }
}

// Events of URLSession, on the delegate queue.
extension SessionTransfer {
    func received(_ response: URLResponse) { process { try $0.receive(response) } }

    func received(_ data: Data) { process { try $0.receive(data) } }

    func sent(_ count: Int64) {
        var meter = state.withLock { state in
            state.timeouts.recordActivity()
            return state.upload
        }
        // Bytes that are sent again are not reported again.
        guard count > meter.completed else { return }
        meter.advance(to: count)
        state.withLock { $0.upload = meter }
    }

    /// The URLSession task has ended.
    func completed(_ task: URLSessionTask, _ error: (any Error)?) {
        if let error {
            return end(with: .failure((error as? URLError).map { HTTPError($0, request) } ?? error))
        }
        var meter = state.withLock { $0.upload }
        if request.body != nil { meter.finish() }
        process { try $0.complete(task) }
    }

    /// Lets the response take in an event, without the lock, and performs the resulting action.
    private func process(_ event: (inout ResponseAssembler) throws -> ResponseAssembler.Action) {
        guard var response = state.withLock({ $0.takeResponse() }) else { return }
        do {
            let action = try event(&response)
            state.withLock { state in
                state.timeouts.isPaused = response.isPaused
                if !state.hasEnded { state.response = response }
            }
            perform(action)
        } catch { fail(error) }
    }

    private func perform(_ action: ResponseAssembler.Action) {
        switch action {
        case .proceed: break
        case .deliver(let response, let pipe): deliver(response, pipe)
        case .suspend:
            // On Linux a suspended task sends its request again when it is resumed, and appends the second body.
            #if canImport(Darwin)
                state.withLock { $0.task }?.suspend()
            #endif
        case .resume:
            #if canImport(Darwin)
                state.withLock { $0.task }?.resume()
            #endif
        case .finish(let response, let ending, let early):
            let task = state.withLock { $0.task }
            end(with: .success(response), ending)
            if early { task?.cancel() }
        }
    }

    /// Delivers the response to the caller while its body is still to come.
    private func deliver(_ response: HTTPResponse, _ pipe: BytePipe) {
        // The pipe keeps this object until the end. After the last byte has arrived nothing else does, and the reader
        // may be behind.
        pipe.onChange { [self, weak pipe] in
            if pipe?.isClosed ?? true { return end(with: .failure(CancellationError())) }
            queue.addOperation { self.process { try $0.drain() } }
        }
        let isRunning = whileRunning { state in
            state.pipe = pipe
            state.timeouts.deadline = nil  // The time limit does not include the time that the reader takes.
        }
        if isRunning { outcome.fulfill(.success(response)) }
    }
}
