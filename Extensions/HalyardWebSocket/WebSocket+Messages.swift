public import HalyardAsync
import HalyardFoundation

extension WebSocket {
    /// The messages of the server, as they arrive. Each is read once: if several tasks read, each message goes to one of
    /// them. The sequence holds the socket. Leaving the loop closes nothing: another loop continues with the next
    /// message.
    public var messages: ResponseSequence<WebSocketMessage> { ResponseSequence { _ in MessageSource(socket: self) } }

    /// The messages of the server, decoded from JSON with the mapper of the provider or the route.
    ///
    /// ```swift
    /// for try await price in socket.messages(of: Price.self) { show(price) }
    /// ```
    ///
    /// A message that does not fit is a ``WebSocketError`` of kind `decoding`, which contains its number in the loop.
    /// The socket stays open, and another loop continues with the next message.
    public func messages<Value: Decodable & Sendable>(of type: Value.Type = Value.self) -> ResponseSequence<Value> {
        ResponseSequence { _ in MessageValueSource<Value>(messages: MessageSource(socket: self)) }
    }

    /// Sends a value as a text message in JSON, written with the mapper of the provider or the route.
    ///
    /// - Throws: What ``send(_:)`` throws; ``WebSocketError`` of kind `encoding` for a value that is no JSON.
    public nonisolated(nonsending) func send<Value: Encodable>(json value: Value) async throws {
        let data: Data
        do { data = try mapper.encode(value) } catch {
            throw self.error(.encoding, "a \(Value.self) is no JSON", cause: error)
        }
        try await send(.text(String(decoding: data, as: UTF8.self)))
    }
}

/// The messages of a socket.
private struct MessageSource: ElementSource {
    let socket: WebSocket
    private var message: WebSocketMessage?

    init(socket: WebSocket) { self.socket = socket }

    mutating func next() -> WebSocketMessage? { message.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        message = try await socket.receive()
        return message != nil
    }
}

/// The values in the messages of a socket.
private struct MessageValueSource<Element: Decodable & Sendable>: ElementSource {
    private var messages: MessageSource
    private var count = 0

    init(messages: MessageSource) { self.messages = messages }

    mutating func next() throws -> Element? {
        guard let message = messages.next() else { return nil }
        count += 1
        do { return try messages.socket.mapper.decode(Element.self, from: message.data) } catch {
            throw messages.socket.error(.decoding, "message \(count) is no \(Element.self)", cause: error)
        }
    }

    nonisolated(nonsending) mutating func read() async throws -> Bool { try await messages.read() }
}
