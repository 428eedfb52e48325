public import HalyardHTTP

/// The engine for Linux: libcurl's multi interface, on one thread of its own.
///
/// Connections are kept and used again, 64 to a host at most; HTTP/2 is spoken over TLS where the server offers it;
/// the system's roots are trusted. libcurl is looked for when the first transport is made: where it is missing, every
/// request ends with ``HTTPError`` of kind `engineUnavailable`, which names the package to install.
///
/// ```swift
/// let client = HTTPClient(transport: CurlTransport())
/// ```
public final class CurlTransport: Transport {
    private let mailbox: Result<Mailbox, HTTPError>

    /// Starts an engine. It ends when the last reference to it goes.
    public init() {
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
        let id = mailbox.nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                mailbox.post(.start(Start(id: id, request: request, context: context, continuation: continuation)))
                // The handler may have run already, and found nothing to cancel.
                if Task.isCancelled { mailbox.post(.cancel(id)) }
            }
        } onCancel: {
            mailbox.post(.cancel(id))
        }
    }
}
