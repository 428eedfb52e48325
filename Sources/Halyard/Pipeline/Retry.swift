package import HalyardFoundation
import HalyardHTTP

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
        /// The request is sent again when there is a network.
        case waitForNetwork(after: HTTPError)
        /// There is no further attempt. The reason is for a request that the policy would retry otherwise.
        case end(because: String?)
    }

    /// Returns what follows an attempt, whose number is from 1. `remaining` is the time until the deadline. `nil`
    /// without one. `hasNetwork` says whether the system can reach the request's origin.
    func decision(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, attempt: Int, remaining: Duration?,
        hasNetwork: (Origin) -> Bool = NetworkRoute.exists
    ) -> Decision {
        guard isRepeatable(request, after: outcome) else { return .end(because: nil) }
        if policy.networkWait != nil, case .failure(let error as HTTPError) = outcome, error.isTemporary,
            error.fields.timeLimit != .request, !hasNetwork(request.origin)
        {
            return .waitForNetwork(after: error)
        }
        guard attempt < policy.attempts else { return .end(because: nil) }
        let wait: Duration
        switch outcome {
        case .success(let response):
            guard policy.statuses.contains(response.status) else { return .end(because: nil) }
            let text = response.headers["Retry-After"]
            let requested = RetryAfter.delay(response.headers, now: now)
            let least = requested ?? text.map(RetryAfter.suspectedDelay) ?? .zero
            // A retry before that time would be refused again.
            guard least <= policy.retryAfterLimit else {
                return .end(because: "the server asks to wait for \(least.logText), longer than the retryAfterLimit")
            }
            // What cannot be read is no reason to send sooner.
            wait = requested ?? max(least, text == nil ? backoff(attempt) : longestBackoff(attempt))
        case .failure(let error):
            guard let error = error as? HTTPError, error.isTemporary, error.fields.timeLimit != .request else {
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
        if policy.allowsAnyMethod || request.method.isIdempotent || request.headers.contains("Idempotency-Key") {
            return true
        }
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

/// What a server asks for with `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in one of the three forms of
/// section 5.6.7. Fractions of a second, which some servers send, are rounded up.
package enum RetryAfter {
    /// Returns the delay that a server asks for. `nil` for no field, or one that is neither a number nor a date. A date
    /// in the past gives zero. The maximum is one year.
    ///
    /// A date is one of the server's clock, which the response's `Date` shows: that of this machine may be wrong.
    package static func delay(_ headers: HTTPHeaders, now: Date) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let (seconds, rest) = leadingSeconds(text)
        if let seconds, rest.isEmpty { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text) else { return nil }
        let sent = headers["Date"].flatMap(HTTPDate.seconds).map(Double.init) ?? now.timeIntervalSince1970
        return .seconds(max(0, min(Double(date) - sent, Double(longest))))
    }

    /// Returns the delay that text may mean that is not valid: `120s` or `7, 8`. The request is not sent sooner.
    static func suspectedDelay(_ text: String) -> Duration { .seconds(leadingSeconds(text).seconds ?? 0) }

    private static let longest = 365 * 24 * 3600

    /// Reads a number at the start of a text, and returns it with the rest of the text.
    private static func leadingSeconds(_ text: String) -> (seconds: Int?, rest: Substring.UTF8View) {
        let digits = text.utf8.prefix(while: ASCIISet.digits.contains)
        guard !digits.isEmpty else { return (nil, text.utf8[...]) }
        let whole = min(Int(Substring(digits)) ?? .max, longest)
        var rest = text.utf8[digits.endIndex...]
        guard rest.first == UInt8(ascii: ".") else { return (whole, rest) }
        let fraction = rest.dropFirst().prefix(while: ASCIISet.digits.contains)
        guard !fraction.isEmpty else { return (whole, rest) }
        rest = rest[fraction.endIndex...]
        return (fraction.allSatisfy { $0 == UInt8(ascii: "0") } ? whole : min(whole + 1, longest), rest)
    }
}
