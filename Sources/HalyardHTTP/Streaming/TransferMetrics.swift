/// The times and sizes of a transfer, as measured by the engine.
///
/// All times count from the start of the transfer, so ``firstByte`` includes ``tls``, and ``tls`` includes ``connect``.
/// A time that the engine does not report is zero.
///
/// ```swift
/// if let metrics = response.metrics { print(metrics.firstByte, metrics.total, metrics.bytesReceived) }
/// ```
public struct TransferMetrics: Sendable, Equatable {
    /// The time until the host name was resolved.
    public var nameLookup = Duration.zero
    /// The time until the connection was made; equal to ``nameLookup`` for a reused connection.
    public var connect = Duration.zero
    /// The time until the TLS handshake was done; zero without TLS and for a reused connection.
    public var tls = Duration.zero
    /// The time until the first byte of the response arrived.
    public var firstByte = Duration.zero
    /// The time until the last byte of the response arrived.
    public var total = Duration.zero
    /// The number of bytes of the request's body that were sent.
    public var bytesSent: Int64 = 0
    /// The number of bytes of the response's body that were received, before decompression.
    public var bytesReceived: Int64 = 0
    /// `"HTTP/1.1"`, `"HTTP/2"` or `"HTTP/3"`; `nil` if the engine does not know it.
    public var httpVersion: String?
    /// Whether the connection was reused.
    public var isConnectionReused = false
    /// The address and port of the other end; `nil` if the engine does not know it.
    public var remoteAddress: String?

    /// The number of times that the request was sent again over another connection because the first one was closed or
    /// the server had refused the request without processing it (RFC 9113 section 8.7). These sends count neither as
    /// attempts of a retry policy nor in `sendCount`.
    public var resends = 0

    /// Creates metrics that are all zero.
    public init() {}
}
