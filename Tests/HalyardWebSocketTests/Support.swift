import Foundation
@testable import HalyardWebSocket
import HalyardHTTP
import TestSupport

/// A frame as a test writes or reads it.
struct Frame: Equatable, Sendable {
    var first: UInt8
    var payload: [UInt8]

    init(_ first: UInt8, _ payload: [UInt8] = []) {
        self.first = first
        self.payload = payload
    }

    static func text(_ text: String) -> Frame { Frame(0x81, Array(text.utf8)) }
    static func binary(_ bytes: [UInt8]) -> Frame { Frame(0x82, bytes) }
    static func close(_ code: UInt16, _ reason: String = "") -> Frame {
        Frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// The bytes of the frame as a server sends it.
    var bytes: [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ..<126: [UInt8(count)]
            case ..<65536: [126] + UInt16(count).bytes
            default: [127] + UInt64(count).bytes
            }
        return [first] + length + payload
    }
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}

/// The server's side of a connection, on a thread of its own.
struct Peer: Sendable {
    let connection: ScriptedServer.Connection
    /// The head of the request.
    let head: String

    /// Reads a request, and answers it with 101.
    init?(_ connection: ScriptedServer.Connection, fields: String = "") {
        guard let head = connection.readHead() else { return nil }
        self.connection = connection
        self.head = head
        connection.write(Peer.accept(head, fields))
    }

    static func value(_ name: String, in head: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }

    static func accept(_ head: String, _ fields: String = "") -> String {
        let key = value("Sec-WebSocket-Key", in: head) ?? ""
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Handshake.accept(for: key))\r\n\(fields)\r\n"
    }

    func send(_ frames: Frame...) { connection.write(Data(frames.flatMap(\.bytes))) }

    private func take(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = connection.read(atMost: count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// Reads a frame and removes its mask. Returns `nil` if the client has closed the connection, or has sent a frame
    /// that is not masked.
    func receive() -> Frame? {
        guard let head = take(2), head[1] & 0x80 != 0 else { return nil }
        var count = Int(head[1] & 0x7F)
        if count >= 126 {
            guard let length = take(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let key = take(4), var payload = take(count) else { return nil }
        payload.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices { bytes[index] ^= key[index % 4] }
        }
        return Frame(head[0], payload)
    }

    /// Sends each message back, and answers a close frame.
    func echo() {
        while let frame = receive() {
            switch frame.first {
            case 0x88:
                send(frame)
                return
            case 0x89: send(Frame(0x8A, frame.payload))
            case 0x8A: break
            default: send(frame)
            }
        }
    }
}

struct API: HTTPProvider {
    var baseURL: URL
    var client: HTTPClient = HTTPClient(engine: EngineConfiguration(proxy: .direct))
    var authentication: Authentication = Authentication.none
}

extension HTTPClient {
    /// A client without a proxy, with a clock. By default no handshake sleeps on the clock.
    static func test(
        _ clock: any Clock<Duration> = ContinuousClock(),
        engine: EngineConfiguration = .init(idleTimeout: nil, proxy: .direct),
        configuration: Configuration = Configuration()
    ) -> HTTPClient {
        HTTPClient(
            transport: PlatformTransport.make(engine), configuration: configuration, time: PipelineTime(clock))
    }
}

/// Returns the `WebSocketError` that an action throws; `nil` if it throws none, or another error.
func webSocketFailure(_ action: () async throws -> Void) async -> WebSocketError? {
    do {
        try await action()
        return nil
    } catch { return error as? WebSocketError }
}
