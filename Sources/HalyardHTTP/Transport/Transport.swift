/// An engine, which sends one request to a server and returns its response.
///
/// Halyard has transports over libcurl on Linux and over URLSession on Apple platforms, and a stub for tests. A custom
/// transport implements one method. If it sends requests over its own connection, it reads the request's body with
/// ``HTTPBody/chunks(reportingTo:)`` and returns ``HTTPResponse/init(receiving:status:headers:for:context:)``. The
/// following transport counts requests and sends them with another transport:
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
    /// Sends one request and returns its final response, whatever its status. Redirects are not followed.
    ///
    /// Cancelling the task ends the transfer at once with `CancellationError`.
    ///
    /// - Parameter request: The request to send. Call its ``HTTPRequest/checkHeaders()`` first.
    /// - Returns: The response. Its body is at the request's destination.
    /// - Throws: ``HTTPError`` if there is no response: an invalid header, no connection, a timeout, invalid framing.
    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse

    /// The names of the settings that the engine ignores because it cannot honor them and they only tune it, such as
    /// `keepAlive`. A client logs them when it is created. A setting that affects safety is never ignored: requests
    /// fail with ``HTTPError`` of kind `configuration`. The default implementation returns none.
    var ignoredSettings: [String] { get }

    /// Ends all transfers and streams with ``HTTPError`` of kind `shutDown`. Later requests fail with the same kind.
    /// The default implementation does nothing.
    func shutdown()
}

extension Transport {
    /// None.
    public var ignoredSettings: [String] { [] }

    /// Does nothing.
    public func shutdown() {}
}

/// The limits and options of one transfer.
public struct TransferContext: Sendable {
    /// The timeout for the whole transfer, including the wait for a free connection. `nil` disables it.
    public var timeout: Duration?
    /// The timeout for resolving the name, connecting and the TLS handshake. `nil` uses the engine's.
    public var connectTimeout: Duration?
    /// The timeout for periods without any data in either direction. `nil` uses the engine's.
    public var idleTimeout: Duration?

    /// Receives progress on any thread: at least once per megabyte, in order, with the last report before the response.
    /// It must return at once. `nil` disables reports.
    public var progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?

    /// Receives each interim response (1xx) when it arrives, on any thread. It must return at once.
    package var informational: (@Sendable (HTTPResponse) -> Void)?

    /// Whether a body follows the server's 100 (RFC 9110 section 10.1.1).
    package var expectsContinue = false

    /// Whether the caller follows redirects. The engine then discards most of a redirect's body.
    package var followsRedirects = false

    /// Creates a context. Times are kept to the millisecond.
    ///
    /// - Parameters:
    ///   - timeout: The timeout for the whole transfer. Defaults to none.
    ///   - connectTimeout: The timeout for connecting. Defaults to the engine's.
    ///   - idleTimeout: The timeout for periods without any data. Defaults to the engine's.
    public init(timeout: Duration? = nil, connectTimeout: Duration? = nil, idleTimeout: Duration? = nil) {
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
    }
}
