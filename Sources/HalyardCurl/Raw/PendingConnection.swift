import HalyardHTTP

/// A connection on its way to the event loop, and the place for its outcome.
final class PendingConnection: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let context: TransferContext
    /// Bytes from the server. The reserve is the size of one read.
    let incoming = BytePipe(capacity: 256 << 10, reserve: RawConnections.bufferSize)
    /// Bytes for the server.
    let outgoing = SendQueue(capacity: 256 << 10)
    private let outcome = OneShot<Result<String?, any Error>>()

    init(id: UInt64, _ request: HTTPRequest, _ context: TransferContext) {
        self.id = id
        self.request = request
        self.context = context
    }

    /// Resumes the caller with the remote address, or an error. Only the first call has an effect.
    ///
    /// - Returns: Whether this is the first call.
    @discardableResult
    func complete(with result: Result<String?, any Error>) -> Bool { outcome.fulfill(result) }

    /// Waits for the connection, and returns the remote address. Call it once.
    nonisolated(nonsending) func opened() async throws -> String? { try await outcome.take().get() }
}
