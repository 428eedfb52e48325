public import HalyardHTTP

/// Something that happened to a request, as an ``EventLog`` and ``HTTPProviderChoices/log(_:)`` are told it.
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
/// Its values are the request's own, with all that is secret in them. What prints it, ``description`` and ``text(_:)``,
/// shows no secret.
public struct LogEvent: Sendable {
    /// What happened. The set can grow: a `switch` has a `default`.
    public struct Kind: Hashable, Sendable {
        private enum Code: Hashable, Sendable { case started, redirected, retried, response, failed, metrics }
        private let code: Code

        /// A request goes to the engine, as the last interceptor left it.
        public static let started = Kind(code: .started)
        /// A response names another place, and the request follows: ``LogEvent/response``, ``LogEvent/next``.
        public static let redirected = Kind(code: .redirected)
        /// The request is sent again: ``LogEvent/attempt``, ``LogEvent/delay``, and the ``LogEvent/error`` or
        /// ``LogEvent/response`` for which it is.
        public static let retried = Kind(code: .retried)
        /// The engine has a response, whatever its status: ``LogEvent/response``, ``LogEvent/duration``.
        public static let response = Kind(code: .response)
        /// The request ends with ``LogEvent/error``, of whatever kind and from whatever stage; or a reader of it does,
        /// whose value cannot be made of the response.
        public static let failed = Kind(code: .failed)
        /// What the transfer took: ``LogEvent/metrics``. It follows the response, where the engine measures.
        public static let metrics = Kind(code: .metrics)
    }

    /// What ties the events of one request together, its redirects and retries as well.
    public struct ID: Hashable, Sendable {
        private static let last = Lock<UInt64>(0)

        /// Counted from 1 in this process.
        public let number: UInt64

        /// The next one.
        package init() {
            number = Self.last.withLock { last in
                last += 1
                return last
            }
        }
    }

    /// Which request it happened to.
    public let id: ID
    /// What happened.
    public let kind: Kind
    /// The request as it went to the engine, or would have gone; `nil` when none could be built.
    public let request: HTTPRequest?
    /// The response, where one came.
    public package(set) var response: HTTPResponse?
    /// What went wrong.
    public package(set) var error: (any Error)?
    /// Of a response the time since ``request`` was handed to the engine, of a stream until its head had come; of a
    /// failure the time since the request began.
    public package(set) var duration: Duration?
    /// What the transfer took, as the engine measured it.
    public package(set) var metrics: TransferMetrics?
    /// Where a redirect leads: the request that is sent next.
    public package(set) var next: HTTPRequest?
    /// Which attempt the next one is, from 2.
    public package(set) var attempt: Int?
    /// How long the next attempt waits.
    public package(set) var delay: Duration?

    /// Method and path, where no request could be built.
    package var subject: String?

    package init(_ kind: Kind, _ id: ID, _ request: HTTPRequest?) {
        self.kind = kind
        self.id = id
        self.request = request
    }

    /// Of a download that is resumed: why this response starts over, or could not be gone on with if it broke off, such as
    /// `starts over: its ETag is weak, which allows other bytes`. `nil` where it goes on, or can.
    public var note: String? { (response?.sink as? PartSink)?.note?.description }

    /// The length of the response's body in memory, in bytes; of one that went to a file what was transferred. `nil` for
    /// a stream.
    public var bytes: Int64? {
        guard let response, response.stream == nil else { return nil }
        return response.file == nil ? Int64(response.data.count) : response.metrics?.bytesReceived
    }
}
