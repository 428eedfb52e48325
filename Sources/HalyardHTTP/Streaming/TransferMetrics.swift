/// What one transfer took, as the engine measured it.
///
/// The times count from when the engine began: ``firstByte`` holds ``tls``, ``tls`` holds ``connect``, and so on. An
/// engine that does not know one of them says zero. They are kept in whole nanoseconds.
public struct TransferMetrics: Sendable, Hashable {
    /// Until the host's name was looked up.
    public var nameLookup: Duration {
        get { times.nameLookup.duration }
        set { times.nameLookup = Nanoseconds(newValue) }
    }
    /// Until the connection stood; as ``nameLookup`` where one was used again.
    public var connect: Duration {
        get { times.connect.duration }
        set { times.connect = Nanoseconds(newValue) }
    }
    /// Until the TLS handshake was done; zero without TLS and on a connection that was used again.
    public var tls: Duration {
        get { times.tls.duration }
        set { times.tls = Nanoseconds(newValue) }
    }
    /// Until the first byte of the response was there.
    public var firstByte: Duration {
        get { times.firstByte.duration }
        set { times.firstByte = Nanoseconds(newValue) }
    }
    /// Until the last.
    public var total: Duration {
        get { times.total.duration }
        set { times.total = Nanoseconds(newValue) }
    }
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
        bytesSent = 0
        bytesReceived = 0
        httpVersion = ""
        isConnectionReused = false
        remoteAddress = nil
    }

    /// The times as an engine writes them down: a `Duration` is worked out when somebody asks, for few do.
    package var times = Times()

    package struct Times: Sendable, Hashable {
        package var nameLookup = Nanoseconds(microseconds: 0)
        package var connect = Nanoseconds(microseconds: 0)
        package var tls = Nanoseconds(microseconds: 0)
        package var firstByte = Nanoseconds(microseconds: 0)
        package var total = Nanoseconds(microseconds: 0)
    }

    /// A time in nanoseconds, 272 years at most.
    package struct Nanoseconds: Sendable, Hashable {
        private let count: Int64

        package init(microseconds: Int64) { count = microseconds &* 1000 }

        fileprivate init(_ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            let limit: Int64 = 1 << 33
            count = min(limit, max(-limit, seconds)) * 1_000_000_000 + attoseconds / 1_000_000_000
        }

        fileprivate var duration: Duration { .nanoseconds(count) }
    }
}
