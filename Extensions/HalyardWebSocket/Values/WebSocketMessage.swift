public import HalyardFoundation

/// A message of a ``WebSocket`` (RFC 6455 section 5.6).
///
/// ```swift
/// try await socket.send(.text("hello"))
/// if case .binary(let data) = try await socket.receive() { show(data) }
/// ```
public enum WebSocketMessage: Sendable, Hashable {
    /// A text message. It is sent as UTF-8, and received text is checked to be UTF-8.
    case text(String)
    /// A binary message.
    case binary(Data)
}

extension WebSocketMessage {
    /// The text; `nil` for a binary message.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes of a binary message, or the UTF-8 bytes of a text message.
    public var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .binary(let data): data
        }
    }

    /// The number of bytes on the wire.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}

/// The reason why a connection was closed, as a number (RFC 6455 section 7.4 and the IANA registry).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Creates a close code. ``WebSocket/close(_:reason:)`` refuses one that must not be sent.
    ///
    /// - Parameter rawValue: The number. Applications use 4000...4999, libraries 3000...3999.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: The connection has fulfilled its purpose.
    public static let normalClosure = Self(rawValue: 1000)
    /// 1001: The server is shutting down, or the client is leaving.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: The other side violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1005: The other side closed the connection without a code. It is never sent.
    public static let noStatusReceived = Self(rawValue: 1005)
    /// 1006: The connection closed without a close frame. It is never sent.
    public static let abnormalClosure = Self(rawValue: 1006)
    /// 1007: A message has invalid contents, such as text that is not UTF-8.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: A message violates a policy.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: A message is too large.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1011: The server has failed.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: The server is restarting.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: The server is overloaded. Try again later.
    public static let tryAgainLater = Self(rawValue: 1013)

    /// Whether a close frame may have this code.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension WebSocketCloseCode: CustomStringConvertible {
    /// The number.
    public var description: String { "\(rawValue)" }
}

/// The limits and times of a ``WebSocket``.
public struct WebSocketOptions: Sendable {
    /// The maximum size of a received message in bytes, including all its frames. Defaults to 16 MiB.
    public var messageLimit: Int
    /// The time between a pong and the next ping, at least a millisecond. Pings reveal a dead connection and keep
    /// proxies from closing it. Defaults to `nil`: pings of the server are answered, but none are sent.
    public var pingInterval: Duration?
    /// The timeout for a pong. If it expires, the socket fails with ``WebSocketError`` of kind `pingTimeout`. The time
    /// in which the reader takes no messages does not count, because nothing is read then. Defaults to 10 seconds.
    public var pongTimeout: Duration
    /// The timeout for the server's part of the closing handshake. Defaults to 5 seconds.
    public var closeTimeout: Duration

    /// Creates options. Each parameter sets the property with its name and has the default documented there.
    public init(
        messageLimit: Int = 16 << 20, pingInterval: Duration? = nil, pongTimeout: Duration = .seconds(10),
        closeTimeout: Duration = .seconds(5)
    ) {
        self.messageLimit = max(0, messageLimit)
        self.pingInterval = pingInterval
        self.pongTimeout = pongTimeout
        self.closeTimeout = closeTimeout
    }
}
