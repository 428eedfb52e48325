import HalyardFoundation

extension WebSocket {
    /// Sends a value as a text message in JSON, written with the mapper of the provider or the route.
    ///
    /// - Parameter value: The value.
    /// - Throws: What ``send(_:)`` throws; ``WebSocketError`` of kind `encoding` for a value that is no JSON.
    public nonisolated(nonsending) func send<Value: Encodable>(json value: Value) async throws {
        let data: Data
        do { data = try mapper.encode(value) } catch {
            throw self.error(.encoding, "a \(Value.self) is no JSON", cause: error)
        }
        try await send(.text(String(decoding: data, as: UTF8.self)))
    }

    /// The messages of the server, decoded from JSON with the mapper of the provider or the route.
    ///
    /// ```swift
    /// for try await price in socket.messages(of: Price.self) { show(price) }
    /// ```
    ///
    /// - Parameter type: The type of the values. Text and binary messages may have them.
    /// - Returns: The values. A message that does not fit is a ``WebSocketError`` of kind `decoding`, which contains its
    ///   number in the loop. The socket stays open, and another loop continues with the next message.
    public func messages<Value: Decodable & Sendable>(of type: Value.Type = Value.self) -> WebSocketValues<Value> {
        WebSocketValues(socket: self)
    }
}

/// The values in the messages of a ``WebSocket``. See ``WebSocket/messages(of:)``.
public struct WebSocketValues<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let socket: WebSocket

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket
        private var count = 0

        init(socket: WebSocket) { self.socket = socket }

        /// Returns the next value; `nil` at the end.
        ///
        /// - Throws: ``WebSocketError`` or `CancellationError`.
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next value. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        private nonisolated(nonsending) mutating func advance() async throws -> Element? {
            guard let message = try await socket.receive() else { return nil }
            count += 1
            do { return try socket.mapper.decode(Element.self, from: message.data) } catch {
                throw socket.error(.decoding, "message \(count) is no \(Element.self)", cause: error)
            }
        }
    }
}
