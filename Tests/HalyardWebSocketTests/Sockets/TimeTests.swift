import Foundation
import HalyardTesting
@testable import HalyardWebSocket
import TestSupport
import Testing

/// Pings and new connections, with a clock of the test.
@Suite(.timeLimit(.minutes(3)))
struct TimeTests {
    private let clock = ManualClock()
    private let route = Route(path: "/feed")

    private func api(_ server: ScriptedServer) -> API { API(baseURL: server.baseURL, client: .test(clock)) }

    @Test func `pings are sent at intervals, and a pong in time keeps the socket open`() async throws {
        let pings = Counter()
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            while let frame = peer.receive() {
                guard frame.first == 0x89 else { return peer.send(frame) }
                let number = pings.count
                pings.increment()
                peer.send(Frame(0x8A, frame.payload), .text("pong \(number)"))
            }
        }
        let options = WebSocketOptions(pingInterval: .seconds(30), pongTimeout: .seconds(5))
        let socket = try await api(server).webSocket(route, options: options)
        for number in 0..<3 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(29))
            #expect(pings.count == number)
            clock.advance(by: .seconds(1))
            #expect(try await socket.receive() == .text("pong \(number)"))
            // The message may be read before the pong has ended the wait for it, which also sleeps.
            try await eventually("only the time to the next ping is left") {
                clock.sleeperCount == 1 && clock.sleeperCount(within: .seconds(29)) == 0
            }
        }
        try await socket.close()
        try await eventually("no pings follow") { clock.sleeperCount == 0 }
    }

    @Test func `a missing pong fails the socket and closes its connection`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            while peer.receive() != nil {}
        }
        let options = WebSocketOptions(pingInterval: .seconds(30), pongTimeout: .seconds(5))
        let socket = try await api(server).webSocket(route, options: options)
        let reader = Task { await webSocketFailure { _ = try await socket.receive() } }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(4999))
        #expect(socket.closeCode == nil)
        clock.advance(by: .milliseconds(1))
        #expect(await reader.value?.kind == .pingTimeout)
        #expect(socket.closeCode == .abnormalClosure)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    @Test func `a pong behind unread messages is not late`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            for number in 0..<SocketState.messageCountLimit { peer.send(.text("\(number)")) }
            peer.echo()
        }
        let options = WebSocketOptions(pingInterval: .seconds(30), pongTimeout: .seconds(5))
        let socket = try await api(server).webSocket(route, options: options)
        try await eventually("the buffer is full") { socket.isPaused }
        for _ in 0..<3 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
        }
        var count = 0
        while count < SocketState.messageCountLimit, try await socket.receive() != nil { count += 1 }
        #expect(socket.closeCode == nil && count == SocketState.messageCountLimit)
        try await socket.send(.text("open"))
        #expect(try await socket.receive() == .text("open"))
        try await socket.close()
    }

    private func policy(attempts: Int) -> ReconnectPolicy {
        var policy = ReconnectPolicy.upTo(attempts: attempts)
        policy.delay = .seconds(2)
        return policy
    }

    @Test func `a lost connection is reopened after the policy's delays, which a message resets`() async throws {
        let server = try ScriptedServer { connection in
            guard connection.number != 1 else { return _ = connection.readHead() }
            guard let peer = Peer(connection) else { return }
            switch connection.number {
            case 2: peer.send(.close(1012))
            case 4:
                peer.send(.text("last"))
                peer.echo()
            default: peer.send(.text("\(connection.number)"))
            }
            connection.drain()
        }
        let clock = ReconnectClock()
        let received = Log<String>()
        let api = API(baseURL: server.baseURL, client: .test(clock))
        let result = try await api.withWebSocket(
            route, options: WebSocketOptions(closeTimeout: .seconds(3600)), reconnecting: policy(attempts: 3)
        ) { socket in
            while let message = try await socket.receive() {
                received.add(message.text ?? "")
                if message == .text("last") { return socket }
                // The server would wait for more.
                if message == .text("0") || message == .text("3") { throw socket.error(.connectionLost) }
            }
            return socket
        }
        #expect(received.entries == ["0", "3", "last"] && result.closeCode == .normalClosure)
        // 2 and 4 seconds, and the half of them at random; then 2 after a message.
        let delays = clock.delays.entries.map { $0 / .seconds(1) }
        #expect(delays.count == 4)
        for (delay, base) in zip(delays, [2.0, 4, 8, 2]) { #expect((base...base * 1.5).contains(delay.rounded(.down))) }
    }

    @Test(arguments: [0, 2]) func `attempts end at the limit with the last error`(attempts: Int) async throws {
        let server = try ScriptedServer { connection in
            Peer(connection)?.send(.close(1013, "\(connection.number)"))
            connection.drain()
        }
        let clock = ReconnectClock()
        let api = API(baseURL: server.baseURL, client: .test(clock))
        let error = await webSocketFailure {
            try await api.withWebSocket(
                route, options: WebSocketOptions(closeTimeout: .seconds(3600)),
                reconnecting: policy(attempts: attempts)
            ) { socket in for try await _ in socket.messages {} }
        }
        #expect(error?.kind == .closed(.tryAgainLater) && error?.reason == "\(attempts)")
        #expect(clock.delays.entries.count == attempts)
    }

    @Test func `neither a violation nor an error of the closure reconnects`() async throws {
        struct Own: Error {}
        let server = try ScriptedServer { connection in
            Peer(connection)?.send(Frame(0x83))
            connection.drain()
        }
        let api = API(baseURL: server.baseURL, client: .test(ReconnectClock()))
        let error = await webSocketFailure {
            try await api.withWebSocket(route, reconnecting: .standard) { _ = try await $0.receive() }
        }
        #expect(error?.kind == .protocolViolation)
        await #expect(throws: Own.self) {
            try await api.withWebSocket(route, reconnecting: .standard) { _ in throw Own() }
        }
        try await eventually("the connections are closed") { server.connectionCount == 0 }
    }
}

/// A clock for the delays between connections, which end at once and are recorded. Sleeps of an hour end when they are
/// cancelled.
private struct ReconnectClock: Clock {
    let delays = Log<Duration>()
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let duration = ContinuousClock.now.duration(to: deadline)
        if duration > .seconds(1800) { return try await Task.sleep(for: duration) }
        delays.add(duration)
    }
}
