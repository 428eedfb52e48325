public import Halyard
import HalyardHTTP

extension ClientPolicy {
    /// Limits how many requests to each host are sent at once.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.concurrency(perHost: 4)]))
    /// ```
    ///
    /// Further requests wait: by their ``RequestPriority``, and within a priority in the order in which they came. They
    /// wait until their deadline at most, and leave the queue at once when they are cancelled. A request counts until
    /// its response has arrived; a stream, until its header fields have.
    ///
    /// - Parameter limit: The number of requests to a scheme, host and port at once, at least one.
    public static func concurrency(perHost limit: Int) -> ClientPolicy { concurrency(limit, by: .host) }

    /// Limits how many requests of each key are sent at once. Further requests wait, as with ``concurrency(perHost:)``.
    ///
    /// - Parameters:
    ///   - limit: The number of requests with the same key at once, at least one.
    ///   - key: What requests are counted by.
    public static func concurrency(_ limit: Int, by key: RequestKey) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, by: key, name: "the concurrency limit"))
    }

    /// Limits how many requests of each key are sent at once, and how many may wait. Further requests fail at once.
    ///
    /// A bulkhead keeps a slow server from taking up the whole program: when it is full, its requests fail with
    /// ``HTTPError`` of kind `queueFull`, and those to other servers go on.
    ///
    /// - Parameters:
    ///   - limit: The number of requests with the same key at once, at least one.
    ///   - queue: The number of requests with the same key that may wait. 0 for none.
    ///   - key: What requests are counted by. Defaults to ``RequestKey/host``.
    public static func bulkhead(_ limit: Int, queue: Int, by key: RequestKey = .host) -> ClientPolicy {
        ClientPolicy(.concurrency, ConcurrencyLimit(limit, queue: queue, by: key, name: "the bulkhead"))
    }
}

extension ClientPolicy {
    /// Limits how many requests of each key are sent in a time.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.rateLimit(10, per: .seconds(1), burst: 20)]))
    /// ```
    ///
    /// It is a token bucket: in any time `t`, at most `burst + t · count / time` requests are sent. Further requests wait
    /// for a token: by their ``RequestPriority``, and within a priority in the order in which they came. Retries,
    /// redirects and hedged requests need a token each.
    ///
    /// What the server says is respected as well. After a 429 or 503 with `Retry-After`, no request of the key is sent
    /// for that time. When its quotas are used up, by `RateLimit` and `RateLimit-Policy`
    /// (draft-ietf-httpapi-ratelimit-headers), none is sent until they are reset. Both are limited to an hour, after
    /// which the server is asked again.
    ///
    /// - Parameters:
    ///   - count: The number of requests, at least one.
    ///   - time: The time in which they may be sent.
    ///   - burst: The number of requests that may be sent at once after a quiet time, at least one. Defaults to `count`.
    ///   - maximumWait: The longest time that a request waits. One that would wait longer fails at once, with
    ///     ``HTTPError`` of kind `rateLimited`. Defaults to 60 seconds.
    ///   - key: What requests are counted by. Defaults to ``RequestKey/host``.
    public static func rateLimit(
        _ count: Int, per time: Duration, burst: Int? = nil, maximumWait: Duration = .seconds(60),
        by key: RequestKey = .host
    ) -> ClientPolicy {
        let bucket = TokenBucket(count, per: time, burst: burst ?? count)
        return ClientPolicy(.rate, RateLimiting(bucket, maximumWait: maximumWait, by: key))
    }
}

extension ClientPolicy {
    /// Stops sending requests to an origin that fails, and tries it again after a while.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.circuitBreaker(failures: 10)]))
    /// ```
    ///
    /// Each origin has a circuit. It is closed at first: requests are sent, and failures are counted. When enough of
    /// them fail, it opens: requests fail at once with ``HTTPError`` of kind `circuitOpen`, whose `retryDelay` tells when
    /// the origin is tried again. After the pause it is half-open: some requests try the origin, and the others still
    /// fail at once. If those succeed, the circuit closes. If one fails, it opens again.
    ///
    /// A response to a request that was sent before the last change does not count.
    ///
    /// - Parameters:
    ///   - failures: The number of failures within the window at which the circuit opens, at least one. Defaults to 5.
    ///   - ratio: The share of all outcomes within the window that must be failures. Defaults to 0.5.
    ///   - window: The time in which outcomes count, in ten steps. Defaults to 30 seconds.
    ///   - pause: The time for which the circuit is open. Defaults to 15 seconds.
    ///   - probes: The number of requests at once that try a half-open circuit, and of successes that close it, at least
    ///     one. Defaults to 1.
    ///   - outcome: Tells which outcomes are failures. Defaults to ``CircuitOutcome/standard(_:)``.
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
    /// Lets equal requests that are made at the same time share one transfer.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.coalescing()]))
    /// ```
    ///
    /// A GET or HEAD that is made while an equal one is being sent gets the same response. Two requests are equal if
    /// they have the same client, method, URL, limit for the body, connection timeouts and header fields. Credentials and
    /// cookies are header fields too: a user never gets the response of another. Requests with a body, streams and
    /// downloads to files pass by.
    ///
    /// Each reader can be cancelled by itself, and has its own deadline. The transfer is cancelled when the last reader
    /// has left. Readers share an error as well; each of them then retries by its own policy. After a request that may
    /// change something (any method but GET, HEAD, OPTIONS and TRACE), new requests to its origin do not join transfers
    /// that began before it ended.
    ///
    /// The transfer has the ``RequestPriority`` of the first reader, also if one of higher priority joins it.
    ///
    /// The response of all readers but the first has the `sendCount` 0, and no metrics.
    ///
    /// - Parameter ignored: The names of header fields that may differ, such as an ID for each request. The transfer has
    ///   those of the first request. Fields with secrets, such as `Authorization` and `Cookie`, always count. Defaults
    ///   to none.
    public static func coalescing(ignoring ignored: Set<String> = []) -> ClientPolicy {
        ClientPolicy(.coalescing, Coalescing(ignoring: Set(ignored.map { $0.lowercased() })))
    }
}

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
