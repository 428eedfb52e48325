import HalyardHTTP
import HalyardFoundation

/// Decides whether a request is retried, and after what delay. It has no side effects: time and random numbers are
/// parameters.
struct Retry {
    let policy: RetryPolicy
    /// The time of day, for a `Retry-After` with a date.
    let now: Date
    /// A random number from 0 up to, but not including, 1.
    let random: Double

    /// What follows an attempt.
    enum Decision: Equatable {
        case retry(after: Duration)
        /// There is no further attempt. The reason is for a request that the policy would retry otherwise.
        case end(because: String?)
    }

    /// Returns what follows an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1.
    ///   - remaining: The time until the deadline. `nil` without a deadline.
    func decision(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, attempt: Int, remaining: Duration?
    ) -> Decision {
        guard attempt < policy.attempts, isRepeatable(request, after: outcome) else { return .end(because: nil) }
        let wait: Duration
        switch outcome {
        case .success(let response):
            guard policy.statuses.contains(response.status) else { return .end(because: nil) }
            let text = response.headers[.retryAfter]
            let requested = RetryAfter.delay(response.headers, now: now)
            let least = requested ?? text.map(RetryAfter.suspectedDelay) ?? .zero
            // A retry before that time would be refused again.
            guard least <= policy.retryAfterLimit else {
                return .end(because: "the server asks to wait for \(least.logText), longer than the retryAfterLimit")
            }
            // What cannot be read is no reason to send sooner.
            wait = requested ?? max(least, text == nil ? backoff(attempt) : longestBackoff(attempt))
        case .failure(let error):
            guard let error = error as? HTTPError, error.isTemporary, error.timeLimit != .request else {
                return .end(because: nil)
            }
            wait = backoff(attempt)
        }
        if let remaining, wait >= remaining {
            return .end(because: "the deadline would be over before the next attempt")
        }
        return .retry(after: wait)
    }

    private func isRepeatable(_ request: HTTPRequest, after outcome: Result<HTTPResponse, any Error>) -> Bool {
        guard request.body?.isReadOnce != true else { return false }
        if request.method.isIdempotent || request.headers.contains("Idempotency-Key") { return true }
        guard case .failure(let error as HTTPError) = outcome else { return false }
        return !error.mayHaveBeenProcessed
    }

    private func backoff(_ attempt: Int) -> Duration {
        policy.hasJitter ? longestBackoff(attempt) * random : longestBackoff(attempt)
    }

    private func longestBackoff(_ attempt: Int) -> Duration {
        // The exponent is limited, so that the product is a valid Duration.
        min(policy.delay * Double(1 << min(attempt - 1, 30)), policy.maximumDelay)
    }
}
