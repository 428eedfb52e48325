/// The messages of a ``WebSocket``, as they arrive. It holds the socket.
///
/// Leaving the loop closes nothing: another loop continues with the next message.
public struct WebSocketMessages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = WebSocketMessage

    let socket: WebSocket

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Iterates over the messages.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// Returns the next message; `nil` at the end. See ``WebSocket/receive()``.
        ///
        /// - Throws: ``WebSocketError`` or `CancellationError`.
        public mutating func next() async throws -> WebSocketMessage? { try await socket.receive() }

        /// Returns the next message. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> WebSocketMessage? {
            try await socket.receive()
        }
    }
}
