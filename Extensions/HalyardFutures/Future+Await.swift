import Dispatch
import Halyard
import HalyardHTTP

extension Future {
    /// The value, for an await, once the progress handlers of its requests have returned. Cancelling the task ends the
    /// wait at once with `CancellationError`, and cancels the future when nobody else listens to it.
    public var value: Value {
        get async throws {
            let answer = OneShot<Result<Value, any Error>>()
            let seat = Lock<UInt64?>(nil)
            return try await withTaskCancellationHandler {
                let id = listen { result, _ in answer.fulfill(result) }
                seat.withLock { $0 = id }
                if Task.isCancelled { giveUp(seat, answer) }
                let result = await answer.take()
                // One that was cancelled waits for no handler.
                if case .failure(let error) = result, error is CancellationError || error == HTTPError.cancelled {
                    throw error
                }
                await progress.endWatching(in: nil)
                return try result.get()
            } onCancel: {
                giveUp(seat, answer)
            }
        }
    }

    /// Blocks the thread until there is a value, and returns it: for a command-line tool, a test.
    ///
    /// It waits for no handler, so that the main thread can wait for the value of a request: handlers on the main actor,
    /// of progress too, run after `get()` has returned. Only a future that itself needs the main actor must not be waited
    /// for on the main thread, such as one whose request has a provider with a hook that is `@MainActor`.
    ///
    /// - Parameter timeout: The most time to wait. Defaults to no limit.
    /// - Returns: The value.
    /// - Throws: the future's error; ``HTTPError`` of kind `timedOut` when the time is over first. The future goes on.
    @available(*, noasync, message: "await the future's value instead: blocking here could stop every task")
    public func get(timeout: Duration? = nil) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Lock<Result<Value, any Error>?>(nil)
        listen { result, _ in
            outcome.withLock { $0 = result }
            done.signal()
        }
        guard let timeout else {
            done.wait()
            return try (outcome.withLock { $0 } ?? .failure(HTTPError.cancelled)).get()
        }
        _ = done.wait(timeout: .now() + timeout.seconds)
        guard let result = outcome.withLock({ $0 }) else {
            throw HTTPError(
                .timedOut, reason: "the future had no outcome within \(timeout)",
                suggestion: "Give it more time; or do not block the thread that it needs, the main one for one")
        }
        return try result.get()
    }

    private func giveUp(_ seat: Lock<UInt64?>, _ answer: OneShot<Result<Value, any Error>>) {
        guard let id = seat.withLock({ $0 }) else { return }
        answer.fulfill(.failure(CancellationError()))
        var next = leave(id)
        while let departure = next { next = departure.leave() }
    }
}
