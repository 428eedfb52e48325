import HalyardHTTP

/// The log of one request, with its number. A request without a log has none, and makes no events.
package struct RequestLog: Sendable {
    private let id = LogEvent.ID()
    private let start = ContinuousClock.now
    private let tell: @Sendable (LogEvent) -> Void

    init(_ tell: @escaping @Sendable (LogEvent) -> Void) { self.tell = tell }

    /// Makes the log of a client's request. `nil` if the client's log is silent.
    init?(_ log: EventLog) {
        if log.isSilent { return nil }
        self.init { log($0) }
    }

    /// Logs the start of an attempt, and returns its time.
    func started(_ request: HTTPRequest) -> ContinuousClock.Instant {
        tell(LogEvent(.started, id, request))
        return .now
    }

    /// Logs a response and its metrics.
    func answered(_ request: HTTPRequest, _ response: HTTPResponse, since start: ContinuousClock.Instant) {
        var event = LogEvent(.response, id, request)
        event.response = response
        event.duration = start.duration(to: .now)
        tell(event)
        guard let metrics = response.metrics else { return }
        event = LogEvent(.metrics, id, request)
        event.metrics = metrics
        tell(event)
    }

    /// Logs a redirect that is followed.
    func redirected(_ request: HTTPRequest, _ response: HTTPResponse, to next: HTTPRequest) {
        var event = LogEvent(.redirected, id, request)
        event.response = response
        event.next = next
        tell(event)
    }

    /// Logs a retry.
    func retried(
        _ request: HTTPRequest, _ outcome: Result<HTTPResponse, any Error>, attempt: Int, after delay: Duration
    ) {
        var event = LogEvent(.retried, id, request)
        switch outcome {
        case .success(let response): event.response = response
        case .failure(let error): event.error = error
        }
        event.attempt = attempt
        event.delay = delay
        tell(event)
    }

    /// Logs the error of the request, or of a reader.
    ///
    /// - Parameter subject: The text to show if no request could be built.
    func failed(_ request: HTTPRequest?, _ response: HTTPResponse?, _ error: any Error, of subject: String? = nil) {
        // The request as it was sent, if it is known: interceptors have added secrets, which must be masked.
        let known = error as? HTTPError
        let response = response ?? known?.response
        var event = LogEvent(.failed, id, response?.sent ?? known?.request ?? request)
        event.response = response
        event.error = error
        event.duration = start.duration(to: .now)
        event.subject = subject
        tell(event)
    }
}
