/// The kind of a frame (RFC 6455 section 11.8).
enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// A message of the protocol that must not be sent, with the close code that says so to the server.
struct ProtocolViolation: Error, Equatable {
    let code: WebSocketCloseCode
    let reason: String

    /// Makes a violation.
    ///
    /// - Parameters:
    ///   - reason: What is wrong, in words.
    ///   - code: The close code. Defaults to 1002.
    init(_ reason: String, _ code: WebSocketCloseCode = .protocolError) {
        self.code = code
        self.reason = reason
    }
}

/// The header of a frame from a server (RFC 6455 section 5.2). Such frames are not masked.
struct FrameHeader: Equatable {
    /// The maximum number of bytes of a header.
    static let maximumSize = 10

    let opcode: Opcode
    /// Whether the frame is the last one of its message.
    let isFinal: Bool
    /// The number of bytes of the payload.
    let length: Int

    /// Returns the number of bytes of a header, by its first two bytes.
    static func size(secondByte: UInt8) -> Int {
        switch secondByte & 0x7F {
        case 127: 10
        case 126: 4
        default: 2
        }
    }

    init(opcode: Opcode, isFinal: Bool, length: Int) {
        self.opcode = opcode
        self.isFinal = isFinal
        self.length = length
    }

    /// Reads a complete header. The first two bytes can be checked before the others have arrived; the length is then
    /// meaningless.
    init(_ bytes: some Collection<UInt8>) throws(ProtocolViolation) {
        var rest = bytes[...]
        let (first, second) = (rest.removeFirst(), rest.removeFirst())
        guard first & 0x70 == 0 else {
            throw ProtocolViolation("a frame has a reserved bit, but no extension was negotiated")
        }
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw ProtocolViolation("a frame has the reserved opcode \(first & 0x0F)")
        }
        guard second & 0x80 == 0 else { throw ProtocolViolation("a frame of the server is masked") }
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard short <= 125 else {
                throw ProtocolViolation("a control frame has more than 125 bytes")
            }
            guard first & 0x80 != 0 else { throw ProtocolViolation("a control frame is fragmented") }
        }
        let long = rest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if rest.count == 2 || rest.count == 8 {
            guard long >= (rest.count == 2 ? 126 : 65536) else {
                throw ProtocolViolation("the length of a frame is not written in the shortest form")
            }
            guard long >> 63 == 0 else { throw ProtocolViolation("the length of a frame is negative") }
        }
        self.init(opcode: opcode, isFinal: first & 0x80 != 0, length: rest.isEmpty ? short : Int(clamping: long))
    }
}
