/// A transport that can hand over a connection as bytes, for protocols that begin with an HTTP request, such as
/// WebSocket.
package protocol ByteTransport: Transport {
    /// The limits of the handshake: the size of a head, and the time without any byte.
    var configuration: EngineConfiguration { get }

    /// Makes a new connection to the origin of a request, with the transport's settings for TLS, proxies and addresses.
    /// Nothing of the request is sent. Over TLS, HTTP/1.1 is negotiated.
    ///
    /// - Parameter context: The time limit for connecting. The other limits are the caller's.
    /// - Throws: ``HTTPError``, or `CancellationError` if the task is cancelled.
    func connect(for request: HTTPRequest, context: TransferContext) async throws -> ByteConnection
}

/// An open connection, as bytes in both directions. It ends with its last reference.
package final class ByteConnection: Sendable {
    /// The bytes from the server, up to its end of the connection. It fails with ``HTTPError``.
    package let incoming: BytePipe
    /// The bytes for the server. Finishing the queue ends the writing direction after its last message.
    package let outgoing: SendQueue
    /// The remote address and port. `nil` if they are not known.
    package let remoteAddress: String?
    private let onClose: @Sendable () -> Void

    /// Makes a connection.
    ///
    /// - Parameters:
    ///   - remoteAddress: The remote address and port. Defaults to `nil`.
    ///   - onClose: Tells the transport to end the connection. It may be called several times, on any thread.
    package init(
        incoming: BytePipe, outgoing: SendQueue, remoteAddress: String? = nil, onClose: @escaping @Sendable () -> Void
    ) {
        self.incoming = incoming
        self.outgoing = outgoing
        self.remoteAddress = remoteAddress
        self.onClose = onClose
    }

    deinit { close() }

    /// Ends the connection at once in both directions. Later reads and writes fail. `error` is what they throw.
    /// Defaults to ``HTTPError`` of kind `connectionLost`.
    package func close(throwing error: (any Error)? = nil) {
        let error = error ?? HTTPError(.connectionLost, reason: "the connection was closed")
        incoming.close(throwing: error)
        outgoing.fail(throwing: error)
        onClose()
    }
}
