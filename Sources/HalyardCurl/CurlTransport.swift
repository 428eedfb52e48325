@_exported public import HalyardHTTP

/// The engine for Linux: libcurl's multi interface on a thread of its own.
///
/// While that thread sleeps, a request is started on the thread that sends it. The sending thread waits neither for a
/// name lookup nor for a connection or a response.
///
/// Connections are kept and used again. Over TLS the engine uses HTTP/2 if the server offers it, with many requests on
/// one connection. `EngineConfiguration` controls all of this.
///
/// libcurl is loaded when the first engine is made. If it is missing, every request fails with `HTTPError` of kind
/// `engineUnavailable`, which names the package to install.
///
/// ```swift
/// let client = HTTPClient(transport: CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 8)))
/// ```
///
/// A process that forks must make its engines after the fork, because the child does not have the engine's thread. In
/// the child, a request with an engine of the parent fails with `HTTPError` of kind `engineUnavailable`.
public final class CurlTransport: Transport {
    let loop: Result<EventLoopHandle, HTTPError>
    package let configuration: EngineConfiguration

    /// Starts an engine. It ends when the last reference to it is gone and its transfers and streams have ended.
    ///
    /// - Parameter configuration: Connections, TLS, proxy and limits. An unsupported setting fails every request with
    ///   `HTTPError` of kind `configuration`.
    public init(configuration: EngineConfiguration = EngineConfiguration()) {
        self.configuration = configuration
        do throws(HTTPError) { loop = .success(try EventLoop.start(configuration)) } catch { loop = .failure(error) }
    }

    deinit { post(.release) }

    /// Sends one request. See `Transport`.
    ///
    /// - Parameter context: The time limits and the progress handler.
    /// - Returns: The final response, whatever its status.
    /// - Throws: `HTTPError`, or `CancellationError` if the task is cancelled.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let (loop, pending) = try transfer(of: request, context)
        do {
            let response = try await loop.send(pending)
            // The program may end after this response. The loop does not wait for the disk.
            if let store = configuration.alternativeServices { await store.written() }
            return response
        } catch { throw request.clarified(error) }
    }

    /// Ends every transfer and stream with `HTTPError` of kind `shutDown`. Later requests fail with the same error.
    public func shutdown() { post(.shutdown) }

    private func post(_ command: LoopCommand) {
        if case .success(let loop) = loop { loop.post(command) }
    }
}

extension CurlTransport {
    /// Makes the transfer of a request. Throws what ``checked(_:_:)`` throws.
    ///
    /// It is not inlined: its variables would enlarge the frame of an async function, which is allocated for each
    /// request.
    @inline(never)
    private func transfer(
        of request: HTTPRequest, _ context: TransferContext
    ) throws -> (loop: EventLoopHandle, pending: PendingTransfer) {
        let (loop, context) = try checked(request, context)
        return (loop, PendingTransfer(id: loop.nextID(), request, context))
    }

    /// Checks a request before the event loop gets it, and completes its limits. Throws ``HTTPError`` for a request
    /// that cannot be sent, or `CancellationError` if the task is cancelled.
    func checked(
        _ request: HTTPRequest, _ context: TransferContext
    ) throws -> (loop: EventLoopHandle, context: TransferContext) {
        try Task.checkCancellation()
        do throws(HTTPError) {
            try request.checkHeaders()
            try configuration.tls.checkPins(for: request.origin)
            var context = context
            context.connectTimeout = context.connectTimeout ?? configuration.connectTimeout
            context.idleTimeout = context.idleTimeout ?? configuration.idleTimeout
            return (try loop.get(), context)
        } catch { throw error.adding(request: request) }
    }
}

extension EventLoopHandle {
    fileprivate nonisolated(nonsending) func send(_ pending: PendingTransfer) async throws -> HTTPResponse {
        let id = pending.id
        return try await withTaskCancellationHandler {
            do throws(HTTPError) { try submit(pending) } catch { pending.fail(with: error) }
            // If the cancellation handler ran before the request was submitted, it had no effect.
            if Task.isCancelled { post(.cancel(id)) }
            return try await pending.response()
        } onCancel: {
            post(.cancel(id))
        }
    }
}

extension CurlTransport: ByteTransport {
    package func connect(for request: HTTPRequest, context: TransferContext) async throws -> ByteConnection {
        let (loop, context) = try checked(request, context)
        do { return try await loop.connect(request, context) } catch let error as HTTPError {
            throw error.adding(request: request)
        }
    }
}

extension EventLoopHandle {
    fileprivate nonisolated(nonsending) func connect(
        _ request: HTTPRequest, _ context: TransferContext
    ) async throws -> ByteConnection {
        let id = nextID()
        let pending = PendingConnection(id: id, request, context)
        return try await withTaskCancellationHandler {
            do throws(HTTPError) { try submit(.connect(pending)) } catch { pending.complete(with: .failure(error)) }
            // If the cancellation handler ran before the command was submitted, it had no effect.
            if Task.isCancelled { post(.cancel(id)) }
            let address = try await pending.opened()
            return ByteConnection(incoming: pending.incoming, outgoing: pending.outgoing, remoteAddress: address) {
                [self] in post(.cancel(id))
            }
        } onCancel: {
            post(.cancel(id))
        }
    }
}
