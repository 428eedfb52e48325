import Dispatch
import Halyard

extension Future {
    /// The value, for an await. Cancelling the task throws `CancellationError` at once, and cancels the future when
    /// nobody else listens to it.
    public var value: Value {
        get async throws {
            let answer = Answer<Result<Value, any Error>>()
            let seat = Lock<UInt64?>(nil)
            return try await withTaskCancellationHandler {
                let id = listen { result, _ in answer.give(result) }
                seat.withLock { $0 = id }
                if Task.isCancelled { giveUp(seat, answer) }
                return try await answer.take().get()
            } onCancel: {
                giveUp(seat, answer)
            }
        }
    }

    /// The value, for a program that may block: a command-line tool, a test.
    ///
    /// It must not be the main thread that waits for a future which needs it; the values of requests do not.
    ///
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

    private func giveUp(_ seat: Lock<UInt64?>, _ answer: Answer<Result<Value, any Error>>) {
        guard let id = seat.withLock({ $0 }) else { return }
        answer.give(.failure(CancellationError()))
        var next = leave(id)
        while let departure = next { next = departure.leave() }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
