public import HalyardFoundationNetworking
@_exported public import HalyardHTTP

/// The engine for Apple's systems. It uses one `URLSession`.
///
/// ```swift
/// let session = URLSessionConfiguration.ephemeral
/// session.allowsCellularAccess = false
/// let client = HTTPClient(transport: URLSessionTransport(session: session))
/// ```
///
/// URLSession's cache, cookies and stored credentials are disabled. Redirects are not followed, and a 401 is returned
/// like any other response. If an `EngineConfiguration` has a setting that URLSession does not support, every request
/// fails with ``HTTPError`` of kind `configuration`. A `connectTimeout` of a single transfer fails it in
/// the same way, because URLSession does not report when a connection is ready. The engine's default connect timeout
/// has no effect.
///
/// Differences from the engine for Linux, on all systems:
/// - Header fields lose their order. Fields of the same name are joined by commas; only `Set-Cookie` is split again.
///   Trailers are not available.
/// - A GET or HEAD request with a body fails with kind `encoding`, because URLSession cannot send one.
/// - The size of the header fields is checked after all of them have arrived.
///
/// On Linux this engine is for comparison only; use `CurlTransport`. With URLSession on Linux:
/// - A server can end the process: by closing a connection inside the header fields (swift-corelibs-foundation #5285),
///   and with trailers, a `Content-Length` near 2^63, or some values of `Location`.
/// - With libcurl 8.5 or later, requests that have waited for a connection can end the process (#5445).
/// - A gzip body that is cut short is accepted as complete, and there is no backpressure.
/// - Bodies from streams, and bodies of several segments, are written to a temporary file first, because stream bodies
///   do not work (#4818).
public final class URLSessionTransport: Transport {
    let configuration: EngineConfiguration
    let session: URLSession
    let delegate: SessionDelegate
    private let configurationError: HTTPError?

    /// The names of the settings that URLSession has no equivalent for: `connectionLimit`, `keepAlive` and
    /// `alternativeServices`, if they are not at their defaults.
    public let ignoredSettings: [String]

    /// Starts an engine. It ends when the last reference to it is gone and its transfers have ended.
    ///
    /// - Parameters:
    ///   - configuration: Connections, TLS, proxy and limits.
    ///   - session: Other settings, such as `waitsForConnectivity` and the networks that may be used. It is copied. Its
    ///     cache, cookies, credentials, timeouts and `httpAdditionalHeaders` are not used. Where `configuration` has
    ///     the same setting, that one is used. Defaults to an ephemeral configuration.
    public init(
        configuration: EngineConfiguration = EngineConfiguration(), session: URLSessionConfiguration = .ephemeral
    ) {
        self.configuration = configuration
        let settings = SessionSettings(configuration)
        configurationError = settings.configurationError
        ignoredSettings = settings.ignored
        delegate = SessionDelegate(tls: configuration.tls)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.session = URLSession(
            configuration: settings.applied(to: session), delegate: delegate, delegateQueue: queue)
    }

    // Not earlier: on Linux, making a task after this call ends the process.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends one request. See ``Transport/send(_:context:)``.
    ///
    /// - Parameter context: The time limits and the progress handler.
    /// - Returns: The final response, whatever its status.
    /// - Throws: ``HTTPError``, or `CancellationError` if the task is cancelled.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        do throws(HTTPError) { try check(request, context) } catch { throw error.adding(request: request) }
        var context = context
        context.idleTimeout = context.idleTimeout ?? configuration.idleTimeout
        let transfer = SessionTransfer(request, context, configuration, queue: session.delegateQueue)
        return try await withTaskCancellationHandler {
            if transfer.startTimeouts() {
                delegate.register(transfer)
                if !transfer.hasEnded { transfer.start(on: self) }
            }
            return try await transfer.outcome.take().get()
        } onCancel: {
            transfer.end(with: .failure(CancellationError()))
        }
    }

    private func check(_ request: HTTPRequest, _ context: TransferContext) throws(HTTPError) {
        try request.checkHeaders()
        if let configurationError { throw configurationError }
        try configuration.tls.checkPins(for: request.origin)
        guard request.url.absoluteString == request.address.text else {
            throw HTTPError(.invalidURL(request.address.text))
        }
        try context.check(request)
    }

    /// Ends every transfer and stream with an error of kind `shutDown`. See ``Transport/shutdown()``.
    public func shutdown() { delegate.shutDown() }
}

extension TransferContext {
    /// Checks that URLSession supports the settings and the request. Throws ``HTTPError`` of kind `configuration`,
    /// `timedOut` or `encoding`.
    fileprivate func check(_ request: HTTPRequest) throws(HTTPError) {
        if connectTimeout != nil {
            throw HTTPError(
                .configuration("connectTimeout"), reason: "URLSession does not report when a connection is established",
                suggestion: "Use `timeout` or `idleTimeout`")
        }
        if let timeout, timeout <= .zero {
            throw HTTPError.exceeded(.request, reason: "it took longer than \(timeout)")
        }
        if request.body != nil, [.get, .head].contains(request.method) {
            throw HTTPError(.encoding("the body"), reason: "URLSession sends no body with \(request.method)")
        }
    }
}
