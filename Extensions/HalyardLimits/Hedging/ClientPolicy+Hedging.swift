public import Halyard
import HalyardHTTP

extension ClientPolicy {
    /// Sends a read a second time if its response takes long, uses the first response that comes, and cancels the other
    /// request.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.hedging(after: .milliseconds(200))]))
    /// ```
    ///
    /// Only GET, HEAD and OPTIONS without a body are hedged, and only if the response goes to memory. Streams and
    /// downloads to files pass by. A response with the status 429 or 5xx, or an error, is used only if the other request
    /// has no better one.
    ///
    /// `sendCount` of the response counts both requests.
    ///
    /// - Parameters:
    ///   - delay: The time after which the second request is sent. It counts from when the first one was passed to the
    ///     engine, without the waiting for limits. A good value is the time in which 95 % of responses come: then
    ///     about 5 % of the requests are sent twice.
    ///   - budget: The share of requests that may be hedged, from 0 to 1. Defaults to 0.05. At most ten hedged
    ///     requests are saved up.
    public static func hedging(after delay: Duration, budget: Double = 0.05) -> ClientPolicy {
        // It begins with none, so that there are never more than the share. Ten are kept at most, so that a quiet time
        // does not lead to a burst.
        let tokens = TokenBucket(ratio: min(budget, 1), capacity: 10, isFull: false)
        let hedging = Hedging(delay: delay, budget: Lock(tokens))
        return ClientPolicy([(.hedging, hedging), (.sending, HedgeStart())])
    }
}
