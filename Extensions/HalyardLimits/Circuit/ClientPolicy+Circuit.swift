public import Halyard

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
