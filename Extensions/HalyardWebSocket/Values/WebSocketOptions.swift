/// The limits and times of a ``WebSocket``.
public struct WebSocketOptions: Sendable, Hashable {
    /// Pings that are sent without being asked for, so that a dead connection is noticed, and proxies keep it open.
    public struct Pings: Sendable, Hashable {
        let interval: Duration
        let timeout: Duration

        /// A ping in each interval. If its pong does not arrive in time, the socket fails with ``WebSocketError`` of kind
        /// `pingTimeout`.
        ///
        /// The time in which the reader takes no messages does not count: nothing is read then, not even pongs.
        ///
        /// - Parameters:
        ///   - interval: The time between a pong and the next ping. At least a millisecond.
        ///   - timeout: The time for the pong. Defaults to 10 seconds.
        public static func every(_ interval: Duration, timeout: Duration = .seconds(10)) -> Pings {
            Pings(interval: max(interval, .milliseconds(1)), timeout: max(timeout, .milliseconds(1)))
        }
    }

    /// The maximum number of bytes of a received message, in all of its frames. Defaults to 16 MiB.
    public var messageLimit: Int
    /// The pings. Defaults to `nil`: pings of the server are answered, but none are sent.
    public var pings: Pings?
    /// How long the socket waits for the server's part of the closing handshake. Defaults to 5 seconds.
    public var closeTimeout: Duration

    /// Makes options. Each parameter sets the property of its name, and has the default that is documented there.
    public init(messageLimit: Int = 16 << 20, pings: Pings? = nil, closeTimeout: Duration = .seconds(5)) {
        self.messageLimit = max(0, messageLimit)
        self.pings = pings
        self.closeTimeout = closeTimeout
    }
}
