/// The engine: what carries one request to a server and brings its response back.
///
/// The whole of a transport is one method. Halyard brings libcurl on Linux, URLSession on Apple's systems, and a stub for
/// tests; yours may record, replay or count:
///
/// ```swift
/// struct Counting: Transport {
///     let inner: any Transport
///     let count: Counter
///     func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
///         count.increment()
///         return try await inner.send(request, context: context)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends one request and returns its final response, whatever its status: redirects are not followed.
    ///
    /// To cancel, cancel the task: the transfer ends at once and `CancellationError` is thrown.
    ///
    /// - Throws: ``HTTPError`` for all that is no response: a bad header, no connection, a deadline, broken framing.
    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse

    /// Ends every transfer and stream with ``HTTPError`` of kind `shutDown`, and refuses what is sent later with the
    /// same. A transport that holds nothing need not have it: it does nothing by default.
    func shutdown()
}

extension Transport {
    /// Does nothing.
    public func shutdown() {}
}

/// What a transport is told about a transfer beside the request itself.
public struct TransferContext: Sendable {
    /// The most time for the whole transfer, waiting for a free connection included. `nil` sets no limit.
    public var timeout: Duration?
    /// The most time for looking up the name, connecting and the TLS handshake. `nil` leaves it to the engine.
    public var connectTimeout: Duration?
    /// The most time in which not one byte moves, either way. `nil` leaves it to the engine.
    public var idleTimeout: Duration?

    /// Where to report progress, from any thread: at least once a megabyte, in order, the last before the response.
    /// It must return at once. `nil` where nobody listens.
    public var progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?

    /// Whether a redirect is followed by whoever sends the request: then its head is enough, and an engine drops the rest of
    /// its body after a little.
    package var followsRedirects = false

    /// The answer to a request that is not to be sent.
    package var answer: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?

    /// Makes a context. No limit is set unless given; all are kept to the millisecond.
    public init(timeout: Duration? = nil, connectTimeout: Duration? = nil, idleTimeout: Duration? = nil) {
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
    }
}
