import Dispatch
import Halyard

extension Future {
    /// The value, for an await. Cancelling the task throws `CancellationError` at once, and cancels the future when
    /// nobody else listens to it.
    public var value: Value {
        get async throws {
            let seat = Lock(Seat())
            let result: Result<Value, any Error> = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let once = Once(continuation)
                    let id = listen { result, _ in once.resume(with: result) }
                    seat.withLock { $0 = .taken(id, once) }
                    if Task.isCancelled { giveUp(seat) }
                }
            } onCancel: {
                giveUp(seat)
            }
            return try result.get()
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

    private func giveUp(_ seat: Lock<Seat>) {
        guard case .taken(let id, let once) = seat.withLock({ $0 }) else { return }
        once.resume(with: .failure(CancellationError()))
        var next = leave(id)
        while let departure = next { next = departure.leave() }
    }

    private enum Seat: Sendable {
        case empty
        case taken(UInt64, Once)
        init() { self = .empty }
    }

    /// A continuation that two may want to resume.
    private final class Once: Sendable {
        private let continuation: Lock<CheckedContinuation<Result<Value, any Error>, Never>?>

        init(_ continuation: CheckedContinuation<Result<Value, any Error>, Never>) {
            self.continuation = Lock(continuation)
        }

        func resume(with result: Result<Value, any Error>) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: result)
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
