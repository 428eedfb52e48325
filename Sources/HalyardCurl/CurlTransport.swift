public import HalyardHTTP

/// The engine for Linux: libcurl's multi interface, on one thread of its own. While that sleeps, whoever sends a request
/// begins it on their own thread, which hardly ever waits: names are looked up elsewhere, and what comes is received there.
///
/// Connections are kept and used again; HTTP/2 is spoken over TLS where the server offers it, many requests on one
/// connection; `EngineConfiguration` says all of it. libcurl is looked for when the first engine is made: where it is
/// missing, every request ends with `HTTPError` of kind `engineUnavailable`, which names the package to install.
///
/// ```swift
/// let client = HTTPClient(transport: CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 8)))
/// ```
///
/// A process that forks must make its engines after the fork: threads, and so the loop, stay with the parent. A request of
/// the child's over an engine of the parent's ends with `HTTPError` of kind `engineUnavailable`.
public final class CurlTransport: Transport {
    private let mailbox: Result<Mailbox, HTTPError>
    private let configuration: EngineConfiguration

    /// Starts an engine. It ends when the last reference to it has gone and its streams are done.
    public init(configuration: EngineConfiguration = EngineConfiguration()) {
        self.configuration = configuration
        do throws(HTTPError) { mailbox = .success(try EventLoop.start(configuration)) } catch {
            mailbox = .failure(error)
        }
    }

    deinit { post(.release) }

    /// Sends one request. See `Transport`.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        try request.checkHeaders()
        try check(request)
        let mailbox = try mailbox.get()
        var context = context
        context.connectTimeout = context.connectTimeout ?? configuration.connectTimeout
        context.idleTimeout = context.idleTimeout ?? configuration.idleTimeout
        do { return try await mailbox.send(request, context) } catch let error as HTTPError {
            throw request.headTooLarge(for: error) ?? error
        }
    }

    private func check(_ request: HTTPRequest) throws(HTTPError) {
        do throws(HTTPError) { try configuration.tls.checkPins(for: request.origin) } catch { throw error.of(request) }
    }

    /// Ends every transfer and stream with `HTTPError` of kind `shutDown`, and refuses later requests with the same.
    public func shutdown() { post(.shutdown) }

    private func post(_ command: Mailbox.Command) {
        if case .success(let mailbox) = mailbox { mailbox.post(command) }
    }
}

extension Mailbox {
    fileprivate nonisolated(nonsending) func send(_ request: HTTPRequest, _ context: TransferContext) async throws
        -> HTTPResponse
    {
        let id = nextID()
        let streams = request.body?.streams ?? []
        let pipes = streams.map { _ in BytePipe(capacity: 256 << 10) }
        // What a user's sequence does runs in a task, never on the loop; it ends with the transfer.
        let pouring =
            streams.isEmpty ? nil : Task { for (stream, pipe) in zip(streams, pipes) { await stream.run(into: pipe) } }
        let start = Start(id: id, request, context, pipes: pipes, pouring: pouring)
        defer { withExtendedLifetime(start) {} }  // the loop has nearly always let go of it first
        return try await withTaskCancellationHandler {
            do throws(HTTPError) { try post(start) } catch { start.refuse(error.of(request)) }
            // The handler may have run already, and found nothing to cancel.
            if Task.isCancelled { post(.cancel(id)) }
            return try await start.response()
        } onCancel: {
            post(.cancel(id))
        }
    }
}

extension HTTPBody {
    fileprivate var streams: [BodyStream] {
        segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    }
}
