/// What one transfer took, as the engine measured it.
///
/// The times count from when the engine began: ``firstByte`` holds ``tls``, ``tls`` holds ``connect``, and so on. An
/// engine that does not know one of them says zero.
public struct TransferMetrics: Sendable, Hashable {
    /// Until the host's name was looked up.
    public var nameLookup: Duration
    /// Until the connection stood; as ``nameLookup`` where one was used again.
    public var connect: Duration
    /// Until the TLS handshake was done; zero without TLS and on a connection that was used again.
    public var tls: Duration
    /// Until the first byte of the response was there.
    public var firstByte: Duration
    /// Until the last.
    public var total: Duration
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int64
    /// Bytes of the response's body that came, as they were on the wire: compressed, where they were.
    public var bytesReceived: Int64
    /// `"HTTP/1.1"` or `"HTTP/2"`; empty where the engine does not tell.
    public var httpVersion: String
    /// Whether the connection had been used before.
    public var isConnectionReused: Bool
    /// Where the connection went, address and port; `nil` where the engine does not tell.
    public var remoteAddress: String?

    /// Metrics of nothing, to be filled in by a transport.
    public init() {
        nameLookup = .zero
        connect = .zero
        tls = .zero
        firstByte = .zero
        total = .zero
        bytesSent = 0
        bytesReceived = 0
        httpVersion = ""
        isConnectionReused = false
        remoteAddress = nil
    }
}
