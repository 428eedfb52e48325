public import HalyardHTTP

/// An event of a request, for an ``EventLog`` or ``HTTPProvider/log``.
///
/// ```swift
/// let log = EventLog.custom { event in
///     switch event.kind {
///     case .response: counter.count(event.response?.status, event.duration)
///     case .failed: print("\(event)")
///     default: break
///     }
/// }
/// ```
///
/// The properties contain the request's secrets. ``description`` and ``text(_:)`` mask them.
public struct LogEvent: Sendable {
    /// The kind of an event. More kinds may be added, so keep a `default` in a `switch`.
    public enum Kind: String, Sendable {
        /// The request is sent: once, and again for each redirect, each retry and renewed credentials.
        /// ``LogEvent/request`` is the request as the last interceptor passed it on.
        case sent
        /// A redirect is followed: ``LogEvent/response``, ``LogEvent/next``.
        case redirected
        /// The request is retried: ``LogEvent/attempt``, ``LogEvent/delay``, and the ``LogEvent/error`` or
        /// ``LogEvent/response`` that caused the retry.
        case retried
        /// The request is not retried although its policy allows it: ``LogEvent/note`` says why, for example because
        /// the ``RetryBudget`` is used up.
        case notRetried
        /// The request waits for a network, up to ``LogEvent/delay``: ``LogEvent/error``. See
        /// ``RetryPolicy/waitingForNetwork(_:)``.
        case waitingForNetwork
        /// A response has arrived, with any status: ``LogEvent/response``, ``LogEvent/duration``.
        case response
        /// The response came from a cache, without a transfer: ``LogEvent/response``. If the server confirmed a
        /// response with a 304, the event is a ``response`` with that status.
        case cached
        /// The request has queued for its client's `requestsInFlight` or for a limit of HalyardLimits:
        /// ``LogEvent/delay``, and ``LogEvent/note`` with the name of the limit. The wait may have ended with an error.
        /// A request that does not queue has no such event.
        case delayed
        /// The response came from the transfer of an identical request: ``LogEvent/response``.
        case coalesced
        /// The request is sent a second time because the first response is taking longer than ``LogEvent/delay``.
        case hedged
        /// The circuit of the request's origin has opened or closed: ``LogEvent/note``. ``LogEvent/delay`` is the time
        /// until an open circuit lets a request pass.
        case circuit
        /// The request has failed with ``LogEvent/error``, in any stage, or the response could not be converted for an
        /// observer.
        case failed
        /// The transfer was measured: ``LogEvent/metrics``. It follows the response if the engine measures transfers.
        case metrics
        /// The client's engine ignores settings: ``LogEvent/note`` names them. It is logged once, when the client is
        /// created, and belongs to no request.
        case warning
    }

    /// Identifies a request. All events of a request have the same ID, including those of redirects and retries.
    public struct ID: Hashable, Sendable {
        private static let last = Lock<UInt64>(0)

        /// The number of the request in this process, starting at 1.
        public let number: UInt64

        /// Makes the next number.
        package init() {
            number = Self.last.withLock { last in
                last += 1
                return last
            }
        }
    }

    /// The ID of the request.
    public let id: ID
    /// The kind of the event.
    public let kind: Kind
    /// The request as it was sent, or would have been sent; `nil` if none could be built.
    public let request: HTTPRequest?
    /// The response; `nil` if none has arrived.
    public package(set) var response: HTTPResponse?
    /// The error; `nil` if nothing has failed.
    public package(set) var error: (any Error)?
    /// For a response, the time since ``request`` was passed to the engine; for a stream, until its headers have
    /// arrived. For a failure, the time since the start of the request.
    public package(set) var duration: Duration?
    /// The metrics of the transfer.
    public package(set) var metrics: TransferMetrics?
    /// The request that follows a redirect.
    public package(set) var next: HTTPRequest?
    /// The number of the next attempt of the ``RetryPolicy``, starting at 2. Redirects and sends with renewed
    /// credentials do not count.
    public package(set) var attempt: Int?
    /// The time until the retry. For ``Kind/delayed``, ``Kind/hedged`` and ``Kind/circuit``, the time described there.
    public package(set) var delay: Duration?

    /// Method and path, if no request could be built.
    package var subject: String?

    /// The text of a warning, or of an event of a limit.
    package var text: String?

    /// Makes the warning that an engine ignores settings. `nil` if there are none.
    package init?(ignoring settings: [String]) {
        guard !settings.isEmpty else { return nil }
        self.init(.warning, ID(), nil)
        text = "the engine ignores \(settings.joined(separator: " and ")): it has no such setting"
    }

    package init(_ kind: Kind, _ id: ID, _ request: HTTPRequest?) {
        self.kind = kind
        self.id = id
        self.request = request
    }

    /// For a resumed download, the reason why the body starts over or cannot be resumed later, such as `starts over:
    /// its ETag is weak, so its bytes may differ`; `nil` if it continues or can be resumed. For ``Kind/warning``,
    /// ``Kind/delayed``, ``Kind/notRetried`` and ``Kind/circuit``, the text of the event.
    public var note: String? { text ?? (response?.downloadFile as? ResumableDownloadFile)?.note?.description }

    /// The number of bytes of the body in memory, or the number transferred to a file; `nil` for a stream.
    public var bytes: Int64? {
        guard let response, response.stream == nil else { return nil }
        return response.file == nil ? Int64(response.data.count) : response.metrics?.bytesReceived
    }
}
