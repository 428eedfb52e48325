import Foundation
import HalyardTesting
@testable import HalyardWebSocket
import TestSupport
import Testing

/// Backpressure, cancellation, and the end of sockets and engines.
@Suite(.timeLimit(.minutes(3)))
struct LifetimeTests {
    private let client = HTTPClient.test()

    private func api(_ server: ScriptedServer) -> API { API(baseURL: server.baseURL, client: client) }
    private let route = Route(path: "/feed")

    @Test func `nothing is read from the network while the reader takes no messages`() async throws {
        let written = Log<Int>()
        let message = Data(count: 64 << 10)
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            let bytes = Data(Frame.binary(Array(message)).bytes)
            var count = 0
            // The rest is more than all buffers have, also those of the system.
            for _ in 0..<2000 {
                let sent = connection.write(bytes, patience: 300)
                count += sent
                guard sent == bytes.count else {
                    written.add(count)
                    connection.write(bytes.dropFirst(sent))
                    break
                }
            }
            peer.send(.text("end"))
            connection.drain()
        }
        let socket = try await api(server).webSocket(route)
        try await eventually("the server is held back") { !written.entries.isEmpty }
        #expect((written.entries.first ?? 0) < 64 << 20)
        var count = 0
        for try await next in socket.messages {
            if next == .text("end") { break }
            #expect(next.data.count == message.count)
            count += 1
        }
        #expect(count == (written.entries.first ?? 0) / (message.count + 10) + 1)
        try await socket.close()
    }

    @Test func `sending waits while the server reads nothing, and canceling it sends nothing`() async throws {
        let gate = Gate()
        let received = Log<Int>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            gate.wait()
            while let frame = peer.receive(), frame.first != 0x88 { received.add(frame.payload.count) }
            peer.send(.close(1000))
        }
        let socket = try await api(server).webSocket(route)
        let sent = Counter()
        let senders = (0..<3).map { _ in
            Task {
                while true {
                    try await socket.send(.binary(Data(count: 100_000)))
                    sent.increment()
                }
            }
        }
        let count = try await settled { sent.count }
        #expect(count < 1000)
        for sender in senders { sender.cancel() }
        for sender in senders { await #expect(throws: CancellationError.self) { try await sender.value } }
        gate.open()
        try await socket.send(.text("abc"))
        try await socket.close()
        #expect(socket.closeCode == .normalClosure)
        #expect(received.entries == [Int](repeating: 100_000, count: sent.count) + [3])
    }

    @Test func `a pong overtakes the messages waiting to be sent`() async throws {
        let frames = Log<Frame>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(.text("go"))
            // The client has filled its buffer when the text that follows the first ping arrives at its reader.
            guard let first = peer.receive() else { return }
            frames.add(first)
            peer.send(Frame(0x89, [1]), Frame(0x89, [2]), .text("pinged"))
            while let frame = peer.receive() {
                frames.add(frame)
                if frame.first == 0x88 { break }
            }
            peer.send(.close(1000))
        }
        let socket = try await api(server).webSocket(route)
        #expect(try await socket.receive() == .text("go"))
        let sender = Task { for _ in 0..<40 { try await socket.send(.binary(Data(count: 1 << 20))) } }
        #expect(try await socket.receive() == .text("pinged"))
        try await sender.value
        try await socket.close()
        let pongs = frames.entries.enumerated().filter { $0.element.first == 0x8A }
        #expect(pongs.last?.element.payload == [2])
        #expect(frames.entries.count { $0.first == 0x82 } == 40)
        #expect((pongs.last?.offset ?? .max) < 35)
    }

    @Test func `canceling the reading task closes the socket with 1001`() async throws {
        let received = Log<Frame?>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            received.add(peer.receive())
            connection.drain()
        }
        let socket = try await api(server).webSocket(route)
        let reader = Task { try await socket.receive() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await eventually("the close frame arrives") { !received.entries.isEmpty }
        #expect(received.entries == [.close(1001)])
        #expect(await webSocketFailure { try await socket.send(.text("x")) }?.kind == .notOpen)
    }

    @Test func `releasing a socket closes it, and a sequence of messages keeps it open`() async throws {
        let received = Log<Frame?>()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(.text("kept"))
            received.add(peer.receive())
            received.add(peer.receive())
        }
        var messages: ResponseSequence<WebSocketMessage>? = try await api(server).webSocket(
            route, options: WebSocketOptions(closeTimeout: .milliseconds(20))
        ).messages
        var iterator = messages?.makeAsyncIterator()
        messages = nil
        #expect(try await iterator?.next() == .text("kept"))
        #expect(received.entries.isEmpty)
        iterator = nil
        try await eventually("the connection is closed") { server.connectionCount == 0 }
        #expect(received.entries == [.close(1001), nil])
    }

    @Test func `a socket outlives its client, and a shutdown ends it`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let socket = try await API(baseURL: server.baseURL, client: .test()).webSocket(route)
        try await socket.send(.text("a"))
        #expect(try await socket.receive() == .text("a"))
        try await socket.close()

        let client = HTTPClient.test()
        let other = try await API(baseURL: server.baseURL, client: client).webSocket(route)
        client.shutdown()
        let error = await webSocketFailure { _ = try await other.receive() }
        #expect(error?.kind == .connectionLost && error?.cause == HTTPError(.shutDown))
        await #expect(throws: HTTPError(.shutDown)) {
            _ = try await API(baseURL: server.baseURL, client: client).webSocket(route)
        }
        try await eventually("the connections are closed") { server.connectionCount == 0 }
    }

    @Test func `a canceled handshake closes its connection`() async throws {
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.drain()
        }
        let task = Task { [api = api(server), route] in try await api.webSocket(route) }
        try await eventually("the server has the connection") { server.connectionCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    @Test func `open sockets do not count towards the engine's connections`() async throws {
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                guard !head.contains("websocket") else {
                    connection.write(Peer.accept(head))
                    return connection.drain()
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let client = HTTPClient.test(
            engine: EngineConfiguration(connectionsPerHost: 1, connectionLimit: 1, proxy: .direct))
        let api = API(baseURL: server.baseURL, client: client)
        var sockets: [WebSocket] = []
        let options = WebSocketOptions(closeTimeout: .milliseconds(20))
        for _ in 0..<20 { sockets.append(try await api.webSocket(route, options: options)) }
        #expect(try await api.request(Route(path: "/plain").timeout(.seconds(10))).text() == "ok")
        #expect(server.connectionCount == 21)
        for socket in sockets { socket.abandon() }
        sockets = []
        try await eventually("the connections are closed") { server.connectionCount <= 1 }
        #expect(try await api.request(Route(path: "/plain").timeout(.seconds(10))).text() == "ok")
    }

    @Test func `hundreds of sockets are open at once, each with its own messages`() async throws {
        let server = try ScriptedServer { Peer($0)?.echo() }
        let api = api(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { [route] in
                    let socket = try await api.webSocket(route)
                    for step in 0..<10 {
                        try await socket.send(.text("\(number) \(step)"))
                        #expect(try await socket.receive() == .text("\(number) \(step)"))
                    }
                    try await socket.close()
                }
            }
            try await group.waitForAll()
        }
        try await eventually("the connections are closed") { server.connectionCount == 0 }
    }
}
