/// Times and sizes of one transfer, as the engine measured them.
///
/// All times count from the start of the transfer, so ``firstByte`` includes ``tls`` and ``tls`` includes ``connect``.
/// A time that the engine does not report is zero.
///
/// ```swift
/// if let metrics = response.metrics { print(metrics.firstByte, metrics.total, metrics.bytesReceived) }
/// ```
public struct TransferMetrics: Sendable, Equatable {
    /// Time until the host name was resolved.
    public var nameLookup = Duration.zero
    /// Time until the connection was made; equal to ``nameLookup`` for a connection that was reused.
    public var connect = Duration.zero
    /// Time until the TLS handshake was done; zero without TLS and for a connection that was reused.
    public var tls = Duration.zero
    /// Time until the first byte of the response.
    public var firstByte = Duration.zero
    /// Time until the last byte of the response.
    public var total = Duration.zero
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's body that were received, before decompression.
    public var bytesReceived: Int64 = 0
    /// `"HTTP/1.1"` or `"HTTP/2"`; `nil` when the engine does not know it.
    public var httpVersion: String?
    /// Whether the connection was reused.
    public var isConnectionReused = false
    /// The address and port of the other end; `nil` when the engine does not know it.
    public var remoteAddress: String?

    /// How often the request was sent again over another connection because the first one was closed, or because the
    /// server had refused the request without processing it (RFC 9113 section 8.7). These sends are neither attempts of
    /// a retry policy nor part of a `sendCount`.
    public var resends = 0

    /// Makes metrics that are all zero.
    public init() {}
}
