import HalyardHTTP
import HalyardFoundation

/// Whether a request is tried again, and after how long. Pure: time and chance are given.
struct Retry {
    let policy: RetryPolicy
    /// The time of day, for a `Retry-After` that is a date.
    let now: Date
    /// What chance gives, 0..<1.
    let chance: Double

    /// How long to wait for the next attempt; nil when there is none.
    ///
    /// - Parameters:
    ///   - attempt: which one has failed, from 1.
    ///   - remaining: what is left until the deadline, if there is one.
    func delay(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, attempt: Int, remaining: Duration?
    ) -> Duration? {
        guard attempt < policy.attempts, isRepeatable(request) else { return nil }
        let wait: Duration
        switch outcome {
        case .success(let response):
            guard policy.statuses.contains(response.status) else { return nil }
            let asked = response.headers["Retry-After"].flatMap { RetryAfter.delay($0, now: now) }
            wait = asked.map { min($0, policy.retryAfterLimit) } ?? backoff(attempt)
        case .failure(let error):
            guard let error = error as? HTTPError, error.mayPass else { return nil }
            wait = backoff(attempt)
        }
        if let remaining, wait >= remaining { return nil }
        return wait
    }

    private func isRepeatable(_ request: HTTPRequest) -> Bool {
        let isSafe = request.method.isIdempotent || request.headers.contains("Idempotency-Key")
        return isSafe && request.body?.isReadOnce != true
    }

    private func backoff(_ attempt: Int) -> Duration {
        // Doubled at most as often as a Duration holds.
        let longest = min(policy.delay * Double(1 << min(attempt - 1, 30)), policy.maximumDelay)
        return policy.hasJitter ? longest * chance : longest
    }
}

extension HTTPError {
    /// Whether the same may succeed a little later.
    fileprivate var mayPass: Bool {
        switch kind {
        case .connectionLost, .timedOut: true
        default: kind.isConnectionFailure
        }
    }
}
