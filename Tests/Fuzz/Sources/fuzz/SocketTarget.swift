import Foundation
import HalyardWebSocket

/// WebSocket frames: a server that the checker runs sends the bytes of the path. The checker parses them by RFC 6455,
/// and must find the same messages and the same end.
@Sendable func fuzzFrames(_ chance: inout Chance, _ checker: Checker) async throws {
    var bytes: [UInt8] = []
    for _ in 0..<chance.number(0..<8) { bytes += chance.frame() }
    let socket = try await DefaultProvider(client: checker.client).webSocket(
        Route(url: socketURL("frames", bytes)), options: WebSocketOptions(messageLimit: 64))
    var messages: [JSON] = []
    var end = "normal"
    do {
        for try await message in socket.messages {
            messages.append([
                .string(message.text == nil ? "binary" : "text"), .string(message.data.base64EncodedString()),
            ])
        }
    } catch let error as WebSocketError {
        switch error.kind {
        case .protocolViolation: end = "violation"
        case .messageTooLarge(limit: 64): end = "too large"
        case .connectionLost: end = "lost"
        case .closed(let code): end = "\(code)"
        default: end = "\(error)"
        }
    }
    try await checker.expect(
        [
            "kind": "frames", "bytes": .string(Data(bytes).base64EncodedString()), "messages": .array(messages),
            "end": .string(end),
        ],
        of: Route(path: "/p"))
}

/// The answer to a handshake: a server that the checker runs sends it, and puts the answer to the key in place of ACCEPT.
@Sendable func fuzzHandshakes(_ chance: inout Chance, _ checker: Checker) async throws {
    var text = ""
    for _ in 0..<chance.number(0..<3) where chance.oneIn(3) { text += "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" }
    text += chance.oneIn(3) ? "HTTP/1.1 403 Forbidden\r\n" : "HTTP/1.1 101 Switching Protocols\r\n"
    let fields = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: ACCEPT", "Transfer-Encoding: chunked",
        "Content-Length: 9223372036854775807", "Content-Length: -1", "Content-Length: 3", "Sec-WebSocket-Protocol: x",
        "Sec-WebSocket-Extensions: permessage-deflate", " folded", "no colon", ": empty",
    ]
    for (index, field) in fields.enumerated() where index < 3 ? !chance.oneIn(5) : chance.oneIn(6) {
        text += field + (chance.oneIn(20) ? "\n" : "\r\n")
    }
    if !chance.oneIn(10) { text += "\r\n" }
    let sizes = [
        "7fffffffffffffff", "ffffffffffffffff", "8000000000000000", "7ffffffffffffffd", "0", "3", "zz", "-1", "",
    ]
    for _ in 0..<chance.number(0..<4) { text += sizes[chance.number(0..<sizes.count)] + "\r\nabc\r\n" }
    var bytes = Array(text.utf8)
    if chance.oneIn(6), !bytes.isEmpty {
        bytes[chance.number(0..<bytes.count)] = UInt8(truncatingIfNeeded: chance.next())
    }
    if chance.oneIn(8) { bytes = Array(bytes.prefix(chance.number(0..<bytes.count + 1))) }
    var end = "open"
    do {
        _ = try await DefaultProvider(client: checker.client).webSocket(Route(url: socketURL("handshake", bytes)))
    } catch let error as HTTPError {
        switch error.kind {
        case .invalidResponse: end = "invalidResponse"
        case .connectionLost: end = "connectionLost"
        case .status(403): end = "status"
        default: end = "\(error)"
        }
    }
    try await checker.expect(
        ["kind": "handshake", "bytes": .string(Data(bytes).base64EncodedString()), "end": .string(end)],
        of: Route(path: "/p"))
}

private func socketURL(_ kind: String, _ bytes: [UInt8]) -> URL {
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    guard let port = ProcessInfo.processInfo.environment["HALYARD_FUZZ_SOCKETS"],
        let url = URL(string: "ws://127.0.0.1:\(port)/\(kind)/\(digits)")
    else { fatalError("fuzz.py sets the port") }
    return url
}

extension Chance {
    /// Returns a frame that is mostly valid.
    fileprivate mutating func frame() -> [UInt8] {
        let opcodes: [UInt8] = [0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x00, 0x80, 0x89, 0x8A, 0x88]
        var first = opcodes[number(0..<opcodes.count)]
        if first == 0x88 && !oneIn(3) { first = 0x81 }
        if oneIn(25) { first ^= 1 << UInt8(number(0..<8)) }
        var payload = oneIn(3) ? bytes(number(0..<40)) : [UInt8](text(0..<12).utf8)
        if first == 0x88 {
            let codes = [1000, 1001, 1005, 999, 3000, 4999, 5000, 1011, 1016]
            let code = codes[number(0..<codes.count)]
            payload = [UInt8(code >> 8), UInt8(code & 255)] + payload.prefix(60)
            if oneIn(5) { payload = Array(payload.prefix(number(0..<3))) }
        }
        if oneIn(15) { payload += [UInt8](repeating: 97, count: number(0..<200)) }
        var length = payload.count < 126 ? [UInt8(payload.count)] : [126, 0, UInt8(truncatingIfNeeded: payload.count)]
        if payload.count > 255 { length = [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)] }
        if oneIn(40) { length = [126, 0, UInt8(truncatingIfNeeded: payload.count)] }
        if oneIn(40) { length = [127, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: payload.count)] }
        if oneIn(40) { length[0] |= 0x80 }
        let frame = [first] + length + payload
        return oneIn(15) ? Array(frame.prefix(number(0..<frame.count + 1))) : frame
    }
}
