public import HalyardFoundation

/// A message of a ``WebSocket`` (RFC 6455 section 5.6).
public enum WebSocketMessage: Sendable, Hashable {
    /// Text. It is sent as UTF-8, and received text is checked to be UTF-8.
    case text(String)
    /// Bytes.
    case binary(Data)
}

extension WebSocketMessage {
    /// The text. `nil` for a binary message.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes: those of a binary message, or the UTF-8 of a text.
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
