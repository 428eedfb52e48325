public import Halyard
import HalyardHTTP

extension ClientPolicy {
    /// Limits concurrent requests to each host.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.concurrency(perHost: 4)]))
    /// ```
    ///
    /// Further requests queue by ``RequestPriority``, and within a priority in order of arrival. They wait until their
    /// deadline at most, and leave the queue at once when they are cancelled. A request counts until its response has
    /// arrived; a stream counts until its headers have arrived.
    ///
    /// - Parameter limit: The maximum number of concurrent requests to a scheme, host and port, at least one.
    public static func concurrency(perHost limit: Int) -> ClientPolicy { concurrency(limit, by: .host) }

    /// Limits concurrent requests with the same key. Further requests queue, as with ``concurrency(perHost:)``.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of concurrent requests with the same key, at least one.
    ///   - key: The key by which requests are counted.
    public static func concurrency(_ limit: Int, by key: RequestKey) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, by: key, name: "the concurrency limit"))
    }

    /// Limits concurrent requests with the same key, and how many of them may queue. Further requests fail at once.
    ///
    /// A bulkhead keeps a slow server from using up the whole program. When it is full, requests to that server fail
    /// with ``HTTPError`` of kind `queueFull`, while those to other servers continue.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of concurrent requests with the same key, at least one.
    ///   - queue: The maximum number of queued requests with the same key. 0 for none.
    ///   - key: The key by which requests are counted. Defaults to ``RequestKey/host``.
    public static func bulkhead(_ limit: Int, queue: Int, by key: RequestKey = .host) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, queue: queue, by: key, name: "the bulkhead"))
    }
}

extension ClientPolicy {
    /// Limits how many requests with the same key are sent in a period.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.rateLimit(10, per: .seconds(1), burst: 20)]))
    /// ```
    ///
    /// The limit is a token bucket: in any time `t`, at most `burst + t · count / time` requests are sent. Further
    /// requests queue for a token by ``RequestPriority``, and within a priority in order of arrival. Each retry,
    /// redirect and hedged request needs a token.
    ///
    /// The policy also respects the server. After a 429 or 503 with `Retry-After`, no request with the key is sent for
    /// that time. When the server's quotas, stated in `RateLimit` and `RateLimit-Policy`
    /// (draft-ietf-httpapi-ratelimit-headers), are used up, none is sent until they reset. Both waits are limited to an
    /// hour, after which the server is asked again.
    ///
    /// - Parameters:
    ///   - count: The number of requests, at least one.
    ///   - time: The period in which they may be sent.
    ///   - burst: The number of requests that may be sent at once after a quiet period, at least one. Defaults to
    ///     `count`.
    ///   - maximumWait: The longest time that a request may wait. One that would wait longer fails at once, with
    ///     ``HTTPError`` of kind `rateLimited`. Defaults to 60 seconds.
    ///   - key: The key by which requests are counted. Defaults to ``RequestKey/host``.
    public static func rateLimit(
        _ count: Int, per time: Duration, burst: Int? = nil, maximumWait: Duration = .seconds(60),
        by key: RequestKey = .host
    ) -> ClientPolicy {
        let bucket = TokenBucket(count, per: time, burst: burst ?? count)
        return ClientPolicy(.rate, RateLimiting(bucket, maximumWait: maximumWait, by: key))
    }
}

extension ClientPolicy {
    /// Stops sending requests to a failing origin, and tries it again after a while.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.circuitBreaker(failures: 10)]))
    /// ```
    ///
    /// Each origin has a circuit. At first it is closed: requests are sent, and failures are counted. When enough of
    /// them fail, it opens: requests fail at once with ``HTTPError`` of kind `circuitOpen`, whose `retryDelay` tells
    /// when the origin is tried again. After the pause it is half-open: some requests try the origin, while the others
    /// still fail at once. If the probes succeed, the circuit closes. If one fails, it opens again.
    ///
    /// A response to a request that was sent before the last change of state does not count.
    ///
    /// - Parameters:
    ///   - failures: The number of failures within the window that opens the circuit, at least one. Defaults to 5.
    ///   - ratio: The share of all outcomes within the window that must be failures. Defaults to 0.5.
    ///   - window: The time for which outcomes count, in ten steps. Defaults to 30 seconds.
    ///   - pause: The time for which the circuit stays open. Defaults to 15 seconds.
    ///   - probes: The number of concurrent requests that try a half-open circuit, and of successes that close it, at
    ///     least one. Defaults to 1.
    ///   - outcome: Returns whether an outcome is a failure. Defaults to ``CircuitOutcome/standard(_:)``.
    public static func circuitBreaker(
        failures: Int = 5, ratio: Double = 0.5, within window: Duration = .seconds(30), pause: Duration = .seconds(15),
        probes: Int = 1,
        outcome: @escaping @Sendable (Result<HTTPResponse, any Error>) -> CircuitOutcome = CircuitOutcome.standard
    ) -> ClientPolicy {
        let rules = Circuit.Rules(
            failures: max(1, failures), ratio: ratio, window: window, pause: max(.zero, pause), probes: max(1, probes))
        let breaker = CircuitBreaker(rules, outcome)
        return ClientPolicy([(.admission, CircuitGate(breaker: breaker)), (.sending, CircuitMeter(breaker: breaker))])
    }
}

extension ClientPolicy {
    /// Lets identical concurrent requests share one transfer.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.coalescing()]))
    /// ```
    ///
    /// A GET or HEAD that is made while an identical one is in flight gets the same response. Two requests are
    /// identical if they have the same client, method, URL, body limit, connection timeouts and headers. Credentials
    /// and cookies are headers too, so a user never gets another user's response. Requests with a body, streams and
    /// downloads to files do not share transfers.
    ///
    /// Each reader can be cancelled separately and has its own deadline. The transfer is cancelled when its last reader
    /// has left. Readers also share an error; each then retries by its own policy. After a request that may change
    /// something (any method except GET, HEAD, OPTIONS and TRACE), new requests to its origin do not join transfers
    /// that began before it ended.
    ///
    /// The transfer has the ``RequestPriority`` of the first reader, even if one with a higher priority joins it.
    ///
    /// For all readers except the first, the response has a `sendCount` of 0 and no metrics.
    ///
    /// - Parameter ignored: The names of headers that may differ, such as an ID for each request. The transfer uses
    ///   those of the first request. Headers with secrets, such as `Authorization` and `Cookie`, always count. Defaults
    ///   to none.
    public static func coalescing(ignoring ignored: Set<String> = []) -> ClientPolicy {
        ClientPolicy(.coalescing, Coalescing(ignoring: Set(ignored.map { $0.lowercased() })))
    }
}

extension ClientPolicy {
    /// Sends a slow read a second time, uses the first response that arrives, and cancels the other request.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.hedging(after: .milliseconds(200))]))
    /// ```
    ///
    /// Only GET, HEAD and OPTIONS requests without a body are hedged, and only if the response goes to memory. Streams
    /// and downloads to files are not hedged. A response with the status 429 or 5xx, or an error, is used only if the
    /// other request has no better one.
    ///
    /// `sendCount` of the response includes both requests.
    ///
    /// - Parameters:
    ///   - delay: The time after which the second request is sent. It counts from the moment when the first one was
    ///     passed to the engine, without the wait for limits. A good value is the time in which 95% of responses
    ///     arrive: then about 5% of the requests are sent twice.
    ///   - budget: The share of requests that may be hedged, from 0 to 1. Defaults to 0.05. At most ten hedged requests
    ///     are saved up.
    public static func hedging(after delay: Duration, budget: Double = 0.05) -> ClientPolicy {
        // It begins with none, so that there are never more than the share. Ten are kept at most, so that a quiet time
        // does not lead to a burst.
        let tokens = TokenBucket(ratio: min(budget, 1), capacity: 10, isFull: false)
        let hedging = Hedging(delay: delay, budget: Lock(tokens))
        return ClientPolicy([(.hedging, hedging), (.sending, HedgeStart())])
    }
}
