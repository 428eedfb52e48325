import Halyard

// Timeouts, delays and retries. Tests can pass their own clock.
extension Future {
    /// Returns a future with the same outcome that fails with ``HTTPError`` of kind `timedOut` after a timeout.
    ///
    /// When it times out, it also cancels this future if nothing else listens to it.
    public func timeout(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Future {
        let future: Future = derived { $1.complete($0, &$2) }
        let timer = Task {
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            let reason = "the future had no outcome within \(duration)"
            let suggestion = "Raise its timeout(after:), or try again later"
            future.expire(HTTPError(.timedOut, reason: reason, suggestion: suggestion))
        }
        future.whenDone { timer.cancel() }
        return future
    }

    /// Returns a future with the same outcome after a delay.
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

    /// Creates a future, and creates it again if it fails.
    ///
    /// ```swift
    /// let me = Future.retry(attempts: 3, delay: .seconds(1)) { api.request(.me).future(of: User.self) }
    /// ```
    ///
    /// `delay` is the time between two attempts. By default, every error except cancellation is retried.
    public static func retry(
        attempts: Int, delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { $0 != HTTPError.cancelled },
        _ make: @escaping @Sendable () throws -> Future
    ) -> Future {
        Future {
            var remaining = max(1, attempts)
            while true {
                do { return try await make().value } catch {
                    remaining -= 1
                    guard remaining > 0, !(error is CancellationError), shouldRetry(error) else { throw error }
                }
                if delay > .zero { try await clock.sleep(for: delay) }
            }
        }
    }
}
