public import HalyardHTTP

/// The engine for Linux: libcurl's multi interface, on one thread of its own.
///
/// Connections are kept and used again, 64 to a host at most; HTTP/2 is spoken over TLS where the server offers it;
/// the system's roots are trusted. libcurl is looked for when the first transfer is made: where it is missing, every
/// request ends with ``HTTPError`` of kind `engineUnavailable`, which names the package to install.
///
/// ```swift
/// let client = HTTPClient(transport: CurlTransport())
/// ```
public final class CurlTransport: Transport {
    private let mailbox: Result<Mailbox, HTTPError>
    private let configuration: EngineConfiguration

    /// Starts an engine. It ends when the last reference to it goes.
    public init(configuration: EngineConfiguration = EngineConfiguration()) {
        self.configuration = configuration
        do throws(HTTPError) { mailbox = .success(try EventLoop.start()) } catch { mailbox = .failure(error) }
    }

    deinit {
        if case .success(let mailbox) = mailbox { mailbox.post(.stop) }
    }

    /// Sends one request. See ``Transport/send(_:context:)``.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        try request.checkHeaders()
        let mailbox = try mailbox.get()
        var context = context
        context.connectTimeout = context.connectTimeout ?? configuration.connectTimeout
        context.idleTimeout = context.idleTimeout ?? configuration.idleTimeout
        return try await mailbox.send(request, context)
    }
}

extension Mailbox {
    fileprivate func send(_ request: HTTPRequest, _ context: TransferContext) async throws -> HTTPResponse {
        let id = nextID()
        let streams = request.body?.streams ?? []
        let pipes = streams.map { _ in BytePipe(capacity: 256 << 10) }
        // What a user's sequence does runs in a task, never on the loop; it ends with the transfer.
        let pouring =
            streams.isEmpty ? nil : Task { for (stream, pipe) in zip(streams, pipes) { await stream.run(into: pipe) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                post(
                    .start(
                        Start(
                            id: id, request: request, context: context, pipes: pipes, pouring: pouring,
                            continuation: continuation)))
                // The handler may have run already, and found nothing to cancel.
                if Task.isCancelled { post(.cancel(id)) }
            }
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
