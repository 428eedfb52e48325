import Halyard

// Time. The clock is yours to give, so that tests need not wait.
extension Future {
    /// The same outcome, if it comes in time; else an error of kind `timedOut`, and the future that this stands on is
    /// left, which cancels it when nobody else listens.
    public func timeout(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Future {
        let future: Future = derived { $1.complete($0, &$2) }
        let timer = Task {
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            let reason = "the future had no outcome within \(duration)"
            let suggestion = "Give its timeout(after:) more time, or try again later"
            future.expire(HTTPError(.timedOut, reason: reason, suggestion: suggestion))
        }
        future.whenDone { timer.cancel() }
        return future
    }

    /// The same outcome, later.
    public func delay(by duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Future {
        derived { result, future, _ in
            let timer = Task {
                try? await clock.sleep(for: duration)
                future.complete(result)
            }
            future.onCancel {
                timer.cancel()
                return nil
            }
        }
    }

    /// What `make` gives, tried again when it fails.
    ///
    /// ```swift
    /// let me = Future.retry(attempts: 3, delay: .seconds(1)) { api.request(.me).future(User.self) }
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: how often it is tried in all, at least once.
    ///   - delay: the time between two tries.
    ///   - clock: what tells it.
    ///   - shouldRetry: whether an error is worth another try. All are, but cancellation, unless given.
    ///   - make: makes the future of a try.
    public static func retry(
        attempts: Int, delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { $0 != HTTPError.cancelled },
        _ make: @escaping @Sendable () throws -> Future
    ) -> Future {
        Future {
            var left = max(1, attempts)
            while true {
                do { return try await make().value } catch {
                    left -= 1
                    guard left > 0, !(error is CancellationError), shouldRetry(error) else { throw error }
                }
                if delay > .zero { try await clock.sleep(for: delay) }
            }
        }
    }
}
