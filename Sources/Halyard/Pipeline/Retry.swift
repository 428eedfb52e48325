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

    /// Returns the delay before the next attempt. `nil` for no further attempt.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - request: The request.
    ///   - attempt: The number of the attempt, from 1.
    ///   - remaining: The time until the deadline. `nil` without a deadline.
    func delay(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, attempt: Int, remaining: Duration?
    ) -> Duration? {
        guard attempt < policy.attempts, isRepeatable(request, after: outcome) else { return nil }
        let wait: Duration
        switch outcome {
        case .success(let response):
            guard policy.statuses.contains(response.status) else { return nil }
            let requested = response.headers["Retry-After"].flatMap { RetryAfter.delay($0, now: now) }
            wait = requested.map { min($0, policy.retryAfterLimit) } ?? backoff(attempt)
        case .failure(let error):
            guard let error = error as? HTTPError, error.isTemporary else { return nil }
            wait = backoff(attempt)
        }
        if let remaining, wait >= remaining { return nil }
        return wait
    }

    private func isRepeatable(_ request: HTTPRequest, after outcome: Result<HTTPResponse, any Error>) -> Bool {
        guard request.body?.isReadOnce != true else { return false }
        if request.method.isIdempotent || request.headers.contains("Idempotency-Key") { return true }
        guard case .failure(let error as HTTPError) = outcome else { return false }
        return !error.mayHaveBeenProcessed
    }

    private func backoff(_ attempt: Int) -> Duration {
        // The exponent is limited, so that the product is a valid Duration.
        let maximum = min(policy.delay * Double(1 << min(attempt - 1, 30)), policy.maximumDelay)
        return policy.hasJitter ? maximum * random : maximum
    }
}
