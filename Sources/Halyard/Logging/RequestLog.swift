import HalyardHTTP

/// Who is told of one request, under its number. There is none where nobody listens, and no event is made then.
package struct RequestLog: Sendable {
    private let id = LogEvent.ID()
    private let start = ContinuousClock.now
    private let tell: @Sendable (LogEvent) -> Void

    init(_ tell: @escaping @Sendable (LogEvent) -> Void) { self.tell = tell }

    /// That of a client alone; nil when it is silent.
    init?(_ log: EventLog) {
        if log.isSilent { return nil }
        self.init { log($0) }
    }

    /// The request goes to the engine. Returns when.
    func started(_ request: HTTPRequest) -> ContinuousClock.Instant {
        tell(LogEvent(.started, id, request))
        return .now
    }

    /// The engine has a response, and what it measured.
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

    /// A response sends the request on.
    func redirected(_ request: HTTPRequest, _ response: HTTPResponse, to next: HTTPRequest) {
        var event = LogEvent(.redirected, id, request)
        event.response = response
        event.next = next
        tell(event)
    }

    /// It has failed for a reason that may pass.
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

    /// The request, or who reads it, ends with an error.
    ///
    /// - Parameter subject: what is shown of it where no request could be built.
    func failed(_ request: HTTPRequest?, _ response: HTTPResponse?, _ error: any Error, of subject: String? = nil) {
        // As it was sent, where that is known: interceptors have added their secrets.
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
