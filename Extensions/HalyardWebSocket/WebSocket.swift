public import HalyardAsync
public import HalyardFoundation
import HalyardHTTP

/// An open WebSocket (RFC 6455). Open one with ``HTTPProvider/webSocket(_:subprotocols:options:)``.
///
/// ```swift
/// let socket = try await api.webSocket(.feed)
/// try await socket.send(.text("subscribe"))
/// for try await message in socket.messages { show(message) }
/// ```
///
/// The socket answers pings, joins messages that arrive in several frames, and checks that text is UTF-8. If you read
/// more slowly than the server sends, it buffers about half a megabyte and then stops reading from the network.
///
/// To close the connection, call ``close(_:reason:)``, cancel the task that reads, or release the last reference to the
/// socket and its ``messages``. The latter two send 1001 and wait for nothing.
public final class WebSocket: Sendable {
    /// The URL after redirects, with the scheme `ws` or `wss`.
    public let url: URL
    /// The subprotocol that the server chose; `nil` if it chose none.
    public let subprotocol: String?
    /// The server's response to the handshake, with the status 101.
    public let response: HTTPResponse
    let mapper: ObjectMapper
    private let core: SocketCore

    init(
        _ upgraded: UpgradeTransport.Upgraded, _ request: HTTPRequest?, _ response: HTTPResponse,
        _ mapper: ObjectMapper,
        _ options: WebSocketOptions, _ time: PipelineTime
    ) {
        url = response.address.webSocketURL
        subprotocol = upgraded.subprotocol
        self.response = response
        self.mapper = mapper
        core = SocketCore(upgraded.connection, url, options, time, Redaction(request, response))
        core.start(upgraded.firstBytes)
    }

    deinit { core.abandon() }

    /// Sends a message. It returns when the message is in the send buffer, and waits first while the buffer contains
    /// 256 KiB or more. Messages from several tasks are not mixed.
    ///
    /// - Throws: ``WebSocketError`` of kind `notOpen`, `closed` or `connectionLost`. `CancellationError` if the task is
    ///   cancelled; the message is then not sent, and the socket stays open.
    public nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws { try await core.send(message) }

    /// Returns the next message.
    ///
    /// - Returns: The message; `nil` after the server has closed the socket with 1000 or without a code, and after
    ///   ``close(_:reason:)``.
    /// - Throws: ``WebSocketError`` of kind `closed`, `connectionLost`, `protocolViolation`, `messageTooLarge` or
    ///   `pingTimeout`. `CancellationError` if the task is cancelled, which closes the socket.
    public nonisolated(nonsending) func receive() async throws -> WebSocketMessage? {
        try await core.next()
    }

    /// Sends a ping and waits for the pong. Returns the time in between.
    ///
    /// The pong is read along with the messages, so it does not arrive while their buffer is full.
    ///
    /// - Throws: ``WebSocketError`` if the socket is closed before the pong arrives. `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func ping() async throws -> Duration {
        try await core.ping()
    }

    /// Closes the socket and waits for the server's part of the closing handshake, at most for
    /// ``WebSocketOptions/closeTimeout``. Earlier messages are still sent. If the socket is already closed, this
    /// returns at once.
    ///
    /// Messages that arrive later are dropped. You can still read those that arrived before. Cancelling the task ends
    /// both the wait and the connection.
    ///
    /// - Parameters:
    ///   - code: The code. Defaults to 1000.
    ///   - reason: The reason, for the server's log. At most 123 bytes of UTF-8. Defaults to none.
    /// - Throws: ``WebSocketError`` of kind `invalidClose`. Nothing was sent then.
    public nonisolated(nonsending) func close(
        _ code: WebSocketCloseCode = .normalClosure, reason: String = ""
    ) async throws {
        guard code.isSendable else {
            throw core.error(.invalidClose, "the code \(code) must not be sent (RFC 6455 section 7.4)")
        }
        guard reason.utf8.count <= 123 else {
            throw core.error(.invalidClose, "the reason has \(reason.utf8.count) bytes")
        }
        await core.close(code, reason: reason)
    }

    /// The server's close code: 1005 if it sent none, and 1006 if the connection closed without a close frame. `nil`
    /// while the socket is open.
    public var closeCode: WebSocketCloseCode? { core.close?.code }

    /// The server's reason for closing; `nil` while the socket is open, and empty if there is none.
    public var closeReason: String? { core.close?.reason }

    /// Whether nothing is read because the reader takes no messages.
    var isPaused: Bool { core.isPaused }

    var hasReceived: Bool { core.hasReceived }

    /// Closes the socket with 1001, and waits for nothing.
    func abandon() { core.abandon() }

    func error(_ kind: WebSocketError.Kind, _ reason: String? = nil, cause: (any Error)? = nil) -> WebSocketError {
        core.error(kind, reason, cause: cause)
    }
}

extension AbsoluteURL {
    /// The URL with the scheme ws in place of http.
    fileprivate var webSocketURL: URL { URL(string: "ws" + text.dropFirst(4)) ?? url }
}

extension WebSocket {
    /// The server's messages, as they arrive. Each is read once: if several tasks read, each message goes to one of
    /// them. The sequence keeps the socket alive. Leaving the loop closes nothing: another loop continues with the next
    /// message.
    public var messages: ResponseSequence<WebSocketMessage> { ResponseSequence { _ in MessageSource(socket: self) } }

    /// The server's messages, decoded from JSON with the mapper of the provider or the route.
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

    /// Sends a value as a JSON text message, written with the mapper of the provider or the route.
    ///
    /// - Throws: The errors of ``send(_:)``; ``WebSocketError`` of kind `encoding` if the value cannot be encoded.
    public nonisolated(nonsending) func send<Value: Encodable>(json value: Value) async throws {
        let data: Data
        do { data = try mapper.encode(value) } catch {
            throw self.error(.encoding, "a \(Value.self) is no JSON", cause: error)
        }
        try await send(.text(String(decoding: data, as: UTF8.self)))
    }
}

private struct MessageSource: ElementSource {
    let socket: WebSocket
    var message: WebSocketMessage?

    mutating func next() -> WebSocketMessage? { message.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        message = try await socket.receive()
        return message != nil
    }
}

private struct MessageValueSource<Element: Decodable & Sendable>: ElementSource {
    var messages: MessageSource
    var count = 0

    mutating func next() throws -> Element? {
        guard let message = messages.next() else { return nil }
        count += 1
        do { return try messages.socket.mapper.decode(Element.self, from: message.data) } catch {
            throw messages.socket.error(.decoding, "message \(count) is no \(Element.self)", cause: error)
        }
    }

    nonisolated(nonsending) mutating func read() async throws -> Bool { try await messages.read() }
}
