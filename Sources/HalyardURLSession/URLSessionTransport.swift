public import HalyardHTTP

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// The engine for Apple's systems: one `URLSession`.
///
/// ```swift
/// let session = URLSessionConfiguration.ephemeral
/// session.allowsCellularAccess = false
/// let client = HTTPClient(transport: URLSessionTransport(session: session))
/// ```
///
/// Cache, cookies and stored credentials are off, no redirect is followed, and a 401 is a response like any other. What
/// an `EngineConfiguration` asks for and URLSession cannot do ends every request with ``HalyardHTTP/HTTPError`` of kind
/// `configuration`. So does a `connectTimeout` of a transfer's own: URLSession does not tell when a connection stands.
/// The engine's default for it is taken, and left to URLSession.
///
/// What differs from the engine for Linux, everywhere:
/// - Header fields come without their order, and fields of one name as one, joined by commas; only `Set-Cookie` is taken
///   apart again. Trailers do not come.
/// - A GET or HEAD with a body is refused with kind `encoding`: URLSession cannot send one.
/// - The size of the header fields is checked once they are all there.
///
/// On Linux this engine is for comparison only, and ``HalyardCurl`` for use: there a server can end the process
/// (swift-corelibs-foundation #5285: a connection closed inside the header block; likewise trailers, a `Content-Length`
/// near 2^63, and some values of `Location`), and so can requests that waited for a connection, where libcurl is 8.5 or
/// later (#5445). A body in gzip that is cut short passes for whole, and there is no backpressure. Bodies from streams, and
/// of several parts, are written to a temporary file first, for stream bodies are broken there (#4818).
public final class URLSessionTransport: Transport {
    private let configuration: EngineConfiguration
    let session: URLSession
    let delegate: SessionDelegate
    private let flaw: HTTPError?

    /// Starts an engine. It ends when the last reference to it goes and what it still carries is done.
    ///
    /// - Parameters:
    ///   - configuration: connections, TLS, proxy, limits.
    ///   - session: the rest, such as `waitsForConnectivity` and which networks may be used. It is copied. Its cache,
    ///     cookies, credentials, timeouts and `httpAdditionalHeaders` are not used, nor what `configuration` says as well.
    public init(
        configuration: EngineConfiguration = EngineConfiguration(), session: URLSessionConfiguration = .ephemeral
    ) {
        self.configuration = configuration
        let settings = SessionSettings(configuration)
        flaw = settings.flaw
        delegate = SessionDelegate(tls: configuration.tls)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.session = URLSession(
            configuration: settings.applied(to: session), delegate: delegate, delegateQueue: queue)
    }

    // Only now: a task that is made after it would end the process on Linux.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends one request. See ``HalyardHTTP/Transport/send(_:context:)``.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        try request.checkHeaders()
        if let flaw { throw flaw.of(request) }
        do throws(HTTPError) { try configuration.tls.checkPins(for: request.origin) } catch { throw error.of(request) }
        guard request.url.absoluteString == request.address.text else {
            throw HTTPError(.invalidURL(request.address.text), request: request)
        }
        try context.check(request)
        var context = context
        context.idleTimeout = context.idleTimeout ?? configuration.idleTimeout
        let exchange = Exchange(request, context, configuration, queue: session.delegateQueue)
        return try await withTaskCancellationHandler {
            if exchange.begin() {
                delegate.open(exchange)
                if !exchange.isOver { Upload.start(exchange, on: self) }
            }
            return try await exchange.answer.take().get()
        } onCancel: {
            exchange.end(with: .failure(CancellationError()))
        }
    }

    /// Ends every transfer and stream. See ``HalyardHTTP/Transport/shutdown()``.
    public func shutdown() { delegate.shutDown() }
}

extension TransferContext {
    /// What URLSession cannot be told about one transfer.
    fileprivate func check(_ request: HTTPRequest) throws(HTTPError) {
        if connectTimeout != nil {
            throw HTTPError(
                .configuration("connectTimeout"), reason: "URLSession does not tell when a connection stands",
                suggestion: "Use `timeout` or `idleTimeout`", request: request)
        }
        if let timeout, timeout <= .zero {
            throw HTTPError(.timedOut, reason: "it took longer than \(timeout)", request: request)
        }
        if request.body != nil, [.get, .head].contains(request.method) {
            throw HTTPError(
                .encoding("the body"), reason: "URLSession sends none with \(request.method)", request: request)
        }
    }
}
