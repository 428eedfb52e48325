/// Times and sizes of one transfer, as the engine measured them.
///
/// All times count from the start of the transfer, so ``firstByte`` includes ``tls`` and ``tls`` includes ``connect``.
/// A time that the engine does not report is zero. Times are kept in whole nanoseconds.
public struct TransferMetrics: Sendable, Hashable {
    /// Time until the host name was resolved.
    public var nameLookup: Duration {
        get { times.nameLookup.duration }
        set { times.nameLookup = Nanoseconds(newValue) }
    }
    /// Time until the connection was made; equal to ``nameLookup`` for a connection that was reused.
    public var connect: Duration {
        get { times.connect.duration }
        set { times.connect = Nanoseconds(newValue) }
    }
    /// Time until the TLS handshake was done; zero without TLS and for a connection that was reused.
    public var tls: Duration {
        get { times.tls.duration }
        set { times.tls = Nanoseconds(newValue) }
    }
    /// Time until the first byte of the response.
    public var firstByte: Duration {
        get { times.firstByte.duration }
        set { times.firstByte = Nanoseconds(newValue) }
    }
    /// Time until the last byte of the response.
    public var total: Duration {
        get { times.total.duration }
        set { times.total = Nanoseconds(newValue) }
    }
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

    /// The times as an engine records them. A `Duration` is computed on demand, because few callers read one.
    package var times = Times()

    package struct Times: Sendable, Hashable {
        package var nameLookup = Nanoseconds(microseconds: 0)
        package var connect = Nanoseconds(microseconds: 0)
        package var tls = Nanoseconds(microseconds: 0)
        package var firstByte = Nanoseconds(microseconds: 0)
        package var total = Nanoseconds(microseconds: 0)
    }

    /// A time in nanoseconds, at most 272 years.
    package struct Nanoseconds: Sendable, Hashable {
        private let count: Int64

        package init(microseconds: Int64) { count = microseconds &* 1000 }

        fileprivate init(_ duration: Duration) {
            count = duration.nanoseconds
        }

        fileprivate var duration: Duration { .nanoseconds(count) }
    }
}
