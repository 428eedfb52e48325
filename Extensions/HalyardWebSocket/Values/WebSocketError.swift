public import HalyardFoundation
public import HalyardHTTP

/// The error of an open ``WebSocket``. The handshake fails with ``HTTPError``, as a request does.
///
/// ```swift
/// do { for try await message in socket.messages { show(message) } }
/// catch let error as WebSocketError where error.kind == .connectionLost { reconnect() }
/// ```
public struct WebSocketError: Error, Sendable {
    /// What went wrong. More kinds may be added, so keep a `default` in a `switch`.
    public enum Kind: Hashable, Sendable {
        /// The server closed the connection with a code other than 1000.
        case closed(WebSocketCloseCode)
        /// The connection closed without a close frame.
        case connectionLost
        /// The server violated RFC 6455. The connection was closed with 1002, or with 1007 if a text is not UTF-8.
        case protocolViolation
        /// A message is larger than ``WebSocketOptions/messageLimit``, in bytes. The connection was closed with 1009.
        case messageTooLarge(limit: Int)
        /// The server did not answer a ping in time; see ``WebSocketOptions/pongTimeout``.
        case pingTimeout
        /// The socket is closed, so nothing can be sent.
        case notOpen
        /// A close frame cannot have this code, or a reason of this length.
        case invalidClose
        /// A value cannot be written as JSON. ``WebSocketError/cause`` contains the reason. Nothing was sent.
        case encoding
        /// A message is not the expected value. ``WebSocketError/cause`` contains the reason. The socket stays open.
        case decoding
    }

    /// What went wrong.
    public let kind: Kind
    /// The URL of the socket, with the scheme `ws` or `wss`.
    public let url: URL
    /// Details in words, such as the server's reason for a close.
    public let reason: String?
    /// The underlying error: the `HTTPError` of a lost connection, or the `DecodingError` of a message.
    public let cause: (any Error)?

    /// Whether a new connection may succeed: the connection was lost, a ping was not answered, or the server closed the
    /// connection with 1001, 1006, or 1011 to 1014.
    public var isTemporary: Bool {
        switch kind {
        case .connectionLost, .pingTimeout: true
        case .closed(let code): [1001, 1006, 1011, 1012, 1013, 1014].contains(code.rawValue)
        default: false
        }
    }
}

extension WebSocketError: LocalizedError, SafelyDescribed {
    /// A message that says what went wrong.
    public var errorDescription: String? { headline }

    /// A suggestion for fixing the error; `nil` if that depends on the server.
    public var recoverySuggestion: String? {
        switch kind {
        case .connectionLost, .pingTimeout: "Connect again, as withWebSocket(_:reconnecting:) does"
        case .messageTooLarge: "Raise the messageLimit of the WebSocketOptions"
        case .notOpen: "Make a new socket"
        case .invalidClose: "Use .normalClosure or a code from 3000 to 4999, and a reason of at most 123 bytes"
        case .protocolViolation: "Report it to the operator of the server"
        case .closed, .encoding, .decoding: nil
        }
    }

    /// The error in one line: what went wrong, the URL without its query, and how to fix it.
    public var description: String {
        let address = RedactedAddress.of(url.absoluteString)
        return headline + " (\(address))" + (recoverySuggestion.map { ". \($0)." } ?? "")
    }

    private var headline: String {
        let what =
            switch kind {
            case .closed(let code): "The server closed the WebSocket with \(code)"
            case .connectionLost: "The connection of the WebSocket was lost"
            case .protocolViolation: "The server violated the WebSocket protocol"
            case .messageTooLarge(let limit): "A message has more than \(limit) bytes"
            case .pingTimeout: "The server did not answer a ping"
            case .notOpen: "The WebSocket is closed"
            case .invalidClose: "The WebSocket cannot be closed like this"
            case .encoding: "The value cannot be sent as a message"
            case .decoding: "The message is not the expected value"
            }
        return what + (reason.map { ": \($0)" } ?? "")
    }
}
