import HalyardHTTP

/// The log of one request, with its number. A request without a log has none, and makes no events.
package struct RequestLog: Sendable {
    private let id = LogEvent.ID()
    private let start = ContinuousClock.now
    private let handler: @Sendable (LogEvent) -> Void

    init(_ handler: @escaping @Sendable (LogEvent) -> Void) { self.handler = handler }

    /// Makes the log of a client's request. `nil` if the client's log is silent.
    init?(_ log: EventLog) {
        if log.isSilent { return nil }
        self.init { log($0) }
    }

    /// Logs that a request is sent, and returns the time.
    func sent(_ request: HTTPRequest) -> ContinuousClock.Instant {
        handler(LogEvent(.sent, id, request))
        return .now
    }

    /// Logs a response and its metrics.
    func received(_ request: HTTPRequest, _ response: HTTPResponse, since start: ContinuousClock.Instant) {
        var event = LogEvent(.response, id, request)
        event.response = response
        event.duration = start.duration(to: .now)
        handler(event)
        guard let metrics = response.metrics else { return }
        event = LogEvent(.metrics, id, request)
        event.metrics = metrics
        handler(event)
    }

    /// Logs a response that came from a cache.
    package func cached(_ request: HTTPRequest, _ response: HTTPResponse) {
        var event = LogEvent(.cached, id, request)
        event.response = response
        handler(event)
    }

    /// Logs an event of a policy.
    package func log(
        _ kind: LogEvent.Kind, _ request: HTTPRequest, _ response: HTTPResponse? = nil, delay: Duration? = nil,
        note: String? = nil
    ) {
        var event = LogEvent(kind, id, request)
        event.response = response
        event.delay = delay
        event.text = note
        handler(event)
    }

    /// Logs a redirect that is followed.
    func redirected(_ request: HTTPRequest, _ response: HTTPResponse, to next: HTTPRequest) {
        var event = LogEvent(.redirected, id, request)
        event.response = response
        event.next = next
        handler(event)
    }

    /// Logs a retry.
    ///
    /// - Parameter nextAttempt: The number of the next attempt that the retry policy counts, from 2.
    func retried(
        _ request: HTTPRequest, _ outcome: Result<HTTPResponse, any Error>, nextAttempt: Int, after delay: Duration
    ) {
        var event = LogEvent(.retried, id, request)
        switch outcome {
        case .success(let response): event.response = response
        case .failure(let error): event.error = error
        }
        event.attempt = nextAttempt
        event.delay = delay
        handler(event)
    }

    /// Logs that a request is not retried although its policy allows it.
    func notRetried(_ request: HTTPRequest, _ outcome: Result<HTTPResponse, any Error>, because reason: String) {
        var event = LogEvent(.notRetried, id, request)
        event.response = try? outcome.get()
        if case .failure(let error) = outcome { event.error = error }
        event.text = reason
        handler(event)
    }

    /// Logs the error of the request, or of an observer.
    ///
    /// - Parameter subject: The text to show if no request could be built.
    func failed(_ request: HTTPRequest?, _ response: HTTPResponse?, _ error: any Error, of subject: String? = nil) {
        // The request as it was sent, if it is known: interceptors have added secrets, which must be masked.
        let httpError = error as? HTTPError
        let response = response ?? httpError?.response
        var event = LogEvent(.failed, id, response?.sentRequest ?? httpError?.request ?? request)
        event.response = response
        event.error = error
        event.duration = start.duration(to: .now)
        event.subject = subject
        handler(event)
    }
}
