import HalyardHTTP

/// The log of one request, with its number. A request without a log has none, and makes no events.
package struct RequestLog: Sendable {
    private let id = LogEvent.ID()
    private let start = ContinuousClock.now
    private let handler: @Sendable (LogEvent) -> Void

    /// Makes the log of a client's request. `nil` if the client's log is silent.
    init?(_ log: EventLog) {
        if log.isSilent { return nil }
        handler = { log($0) }
    }

    /// Logs an event of the request. `set` sets further properties of the event.
    @inline(never)  // See `Pipeline`.
    package func log(
        _ kind: LogEvent.Kind, _ request: HTTPRequest?, _ response: HTTPResponse? = nil, delay: Duration? = nil,
        note: String? = nil, set: (inout LogEvent) -> Void = { _ in }
    ) {
        var event = LogEvent(kind, id, request)
        event.response = response
        event.delay = delay
        event.text = note
        set(&event)
        handler(event)
    }

    /// Logs the error of the request, or of an observer. `subject` is the text to show if no request could be built.
    func failed(_ request: HTTPRequest?, _ response: HTTPResponse?, _ error: any Error, of subject: String? = nil) {
        // The request as it was sent, if it is known: interceptors have added secrets, which must be masked.
        let httpError = error as? HTTPError
        let response = response ?? httpError?.response
        log(.failed, response?.notes.sentRequest ?? httpError?.request ?? request, response) { event in
            event.error = error
            event.duration = start.duration(to: .now)
            event.subject = subject
        }
    }
}
