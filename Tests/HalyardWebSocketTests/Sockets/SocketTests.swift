import Foundation
import HalyardTesting
@testable import HalyardWebSocket
import TestSupport
import Testing

/// Messages, pings and the closing handshake over real connections.
@Suite(.timeLimit(.minutes(3)))
struct SocketTests {
    private func socket(
        _ server: ScriptedServer, _ options: WebSocketOptions = WebSocketOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> WebSocket {
        try await API(baseURL: server.baseURL, client: .test(clock)).webSocket(Route(path: "/feed"), options: options)
    }

    @Test func `text is sent, its echo is received, and the socket is closed`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await API(baseURL: server.baseURL).webSocket(Route(path: "/feed"))
        #expect(socket.url.absoluteString == "ws" + server.baseURL.absoluteString.dropFirst(4) + "/feed")
        #expect(socket.response.status == 101 && socket.subprotocol == nil && socket.closeCode == nil)
        try await socket.send(.text("Grüße"))
        #expect(try await socket.receive() == .text("Grüße"))
        try await socket.close(.goingAway, reason: "done")
        #expect(socket.closeCode == .goingAway && socket.closeReason == "done")
        #expect(try await socket.receive() == nil)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    @Test(arguments: [0, 125, 126, 65535, 65536, 5_000_000])
    func `text and binary messages of any length are echoed`(length: Int) async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await socket(server)
        let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await socket.send(.binary(bytes))
        #expect(try await socket.receive() == .binary(bytes))
        let text = String(repeating: "€", count: length / 3)
        try await socket.send(.text(text))
        #expect(try await socket.receive() == .text(text))
        try await socket.close()
    }

    @Test func `ten thousand messages are echoed in order while others are sent`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await socket(server)
        async let sent: Void = {
            for number in 0..<10_000 { try await socket.send(.text("\(number)")) }
        }()
        var next = 0
        for try await message in socket.messages {
            #expect(message == .text("\(next)"))
            next += 1
            if next == 10_000 { break }
        }
        try await sent
        try await socket.close()
        #expect(next == 10_000)
    }

    @Test func `messages that arrive with the handshake, and in one packet, are all received`() async throws {
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            let frames: [Frame] = [.text("a"), Frame(0x01, [98]), Frame(0x80, [99]), .binary([1]), .close(1000)]
            connection.write(Data(Peer.accept(head).utf8) + frames.flatMap(\.bytes))
            connection.drain()
        }
        let socket = try await socket(server)
        var messages: [WebSocketMessage] = []
        for try await message in socket.messages { messages.append(message) }
        #expect(messages == [.text("a"), .text("bc"), .binary(Data([1]))])
        #expect(socket.closeCode == .normalClosure)
    }

    @Test func `a ping is answered with its payload even without a reader`() async throws {
        let received = Log<Frame?>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(Frame(0x89, Array("are you there?".utf8)))
            received.add(peer.receive())
        }
        let socket = try await socket(server)
        try await eventually("the pong arrives") { !received.entries.isEmpty }
        #expect(received.entries == [Frame(0x8A, Array("are you there?".utf8))])
        withExtendedLifetime(socket) {}
    }

    @Test func `a ping waits for its pong, which also answers earlier pings`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection), peer.receive() != nil, let second = peer.receive() else { return }
            peer.send(Frame(0x8A), Frame(0x8A, Array("unrelated".utf8)), Frame(0x8A, second.payload))
            peer.echo()
        }
        let socket = try await socket(server)
        async let first = socket.ping()
        async let second = socket.ping()
        #expect(try await [first, second].allSatisfy { $0 >= .zero })
        try await socket.close()
        await #expect(throws: WebSocketError.self) { try await socket.ping() }
    }

    @Test(
        arguments: [
            (Frame(0x83), 1002), (Frame(0xC1), 1002), (Frame(0x81, [0xFF]), 1007), (Frame(0x80), 1002),
            (.close(1005), 1002), (Frame(0x82, [UInt8](repeating: 0, count: 2000)), 1009),
        ] as [(Frame, UInt16)])
    func `a violation is answered with its code, ends the messages and closes the connection`(
        frame: Frame, code: UInt16
    ) async throws {
        let received = Log<Frame?>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(.text("before"), frame)
            received.add(peer.receive())
            connection.drain()
        }
        let socket = try await socket(server, WebSocketOptions(messageLimit: 1000))
        #expect(try await socket.receive() == .text("before"))
        let error = await webSocketFailure { _ = try await socket.receive() }
        #expect(error?.kind == (code == 1009 ? .messageTooLarge(limit: 1000) : .protocolViolation))
        #expect(error?.description.contains("ws://127.0.0.1") == true)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
        #expect(received.entries.first??.payload.prefix(2) == ArraySlice(code.bytes))
        #expect(socket.closeCode == .abnormalClosure)
        await #expect(throws: WebSocketError.self) { try await socket.send(.text("after")) }
    }

    @Test(arguments: [1001, 1011, 4000] as [UInt16])
    func `a close by the server is answered and fails with its code and reason`(code: UInt16) async throws {
        let received = Log<Frame?>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(.text("last"), .close(code, "maintenance"))
            received.add(peer.receive())
        }
        let socket = try await socket(server)
        #expect(try await socket.receive() == .text("last"))
        let error = await webSocketFailure { _ = try await socket.receive() }
        #expect(error?.kind == .closed(WebSocketCloseCode(rawValue: code)) && error?.reason == "maintenance")
        #expect(error?.kind == socket.closeCode.map(WebSocketError.Kind.closed) && socket.closeReason == "maintenance")
        #expect(error?.isTemporary == (code < 4000))
        let next = await webSocketFailure { try await socket.send(.text("x")) }
        #expect(next?.kind == error?.kind)
        try await eventually("the answer arrives") { !received.entries.isEmpty }
        #expect(received.entries == [.close(code)])
    }

    @Test func `a close without a code ends the messages`() async throws {
        let server = try ScriptedServer { connection in
            Peer(connection)?.send(Frame(0x88))
            connection.drain()
        }
        let socket = try await socket(server)
        #expect(try await socket.receive() == nil)
        #expect(socket.closeCode == .noStatusReceived && socket.closeReason?.isEmpty == true)
        #expect(await webSocketFailure { try await socket.send(.text("x")) }?.kind == .notOpen)
    }

    @Test func `a connection that ends or is reset without a close frame is lost`() async throws {
        let server = try ScriptedServer { connection in Peer(connection)?.send(.text("a"), Frame(0x01, [65])) }
        let socket = try await socket(server)
        #expect(try await socket.receive() == .text("a"))
        #expect(await webSocketFailure { _ = try await socket.receive() }?.kind == .connectionLost)
        #expect(socket.closeCode == .abnormalClosure)
        #expect(await webSocketFailure { try await socket.send(.text("x")) }?.kind == .connectionLost)
        try await socket.close()
    }

    @Test func `a close code or reason that must not be sent is refused`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await socket(server)
        for code in [0, 999, 1004, 1005, 1006, 1015, 2000, 5000] as [UInt16] {
            let error = await webSocketFailure { try await socket.close(WebSocketCloseCode(rawValue: code)) }
            #expect(error?.kind == .invalidClose)
        }
        let error = await webSocketFailure {
            try await socket.close(reason: String(repeating: "ä", count: 62))
        }
        #expect(error?.kind == .invalidClose && error?.reason?.contains("124") == true)
        try await socket.send(.text("still open"))
        #expect(try await socket.receive() == .text("still open"))
        try await socket.close(reason: String(repeating: "a", count: 123))
        #expect(socket.closeReason?.count == 123)
    }

    @Test func `a server that does not answer a close is abandoned after the timeout`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            while peer.receive() != nil { peer.send(.text("too late")) }
        }
        let clock = ManualClock()
        let socket = try await socket(server, WebSocketOptions(closeTimeout: .seconds(7)), clock: clock)
        async let closed: Void = socket.close()
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(6999))
        #expect(server.connectionCount == 1 && socket.closeCode == nil)
        clock.advance(by: .milliseconds(1))
        try await closed
        #expect(socket.closeCode == .abnormalClosure)
        #expect(try await socket.receive() == nil)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    @Test func `values are sent and received as JSON with the route's mapper`() async throws {
        struct Price: Codable, Equatable { var unitPrice: Int }
        let server = try ScriptedServer { Peer($0)?.echo() }
        let route = Route(path: "/feed").mapper(ObjectMapper(keys: .snakeCase))
        let socket = try await API(baseURL: server.baseURL).webSocket(route)
        try await socket.send(json: Price(unitPrice: 3))
        #expect(try await socket.receive() == .text(#"{"unit_price":3}"#))
        try await socket.send(json: Price(unitPrice: 4))
        try await socket.send(.binary(Data(#"{"unit_price":5}"#.utf8)))
        try await socket.send(.text("{}"))
        try await socket.send(json: Price(unitPrice: 6))
        var prices: [Price] = []
        let error = await webSocketFailure {
            for try await price in socket.messages(of: Price.self) { prices.append(price) }
        }
        #expect(error?.kind == .decoding && error?.cause is DecodingError)
        #expect(error?.reason == "message 3 is no Price")
        for try await price in socket.messages(of: Price.self) {
            prices.append(price)
            break
        }
        #expect(prices.map(\.unitPrice) == [4, 5, 6])
        #expect(await webSocketFailure { try await socket.send(json: Double.nan) }?.kind == .encoding)
        try await socket.close()
    }
}
