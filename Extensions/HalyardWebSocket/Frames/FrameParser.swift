import Halyard
import HalyardFoundation

/// Makes messages of the bytes that a server sends, however they are divided (RFC 6455 section 5).
///
/// It holds at most the bytes of one incomplete message, whose size is limited, and of one control frame. What a frame
/// announces is refused before it arrives, and memory grows only with what has arrived.
struct FrameParser: Sendable {
    /// What the server has sent.
    enum Event: Sendable, Hashable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        /// The code is `nil` for a close frame without one.
        case close(WebSocketCloseCode?, reason: String)
    }

    private let limit: Int
    private var header: [UInt8] = []
    /// The frame whose payload is arriving, and the number of its bytes that are still to come.
    private var frame: FrameHeader?
    private var missing = 0
    /// The kind of the message that is arriving; `nil` between messages.
    private var messageKind: Opcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var checker = UTF8Checker()
    /// Whether a close frame has arrived. What follows it is ignored.
    private(set) var isClosed = false

    /// Makes a parser. `limit` is the maximum number of bytes of a message, in all of its frames.
    init(limit: Int) { self.limit = limit }

    /// Parses further bytes. Throws ``ProtocolViolation``. The parser must not be used again.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, _ receive: (Event) -> Void
    ) throws(ProtocolViolation) {
        var rest = bytes[...]
        while !isClosed {
            if frame == nil {
                guard try readHeader(&rest) else { return }
            }
            guard let frame else { return }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(missing))
            rest = rest.dropFirst(piece.count)
            missing -= piece.count
            if let event = try add(piece, to: frame, isComplete: missing == 0) { receive(event) }
            guard missing == 0 else { return }
            self.frame = nil
        }
    }

    /// Reads a header. Returns `false` if it is not complete.
    private mutating func readHeader(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(ProtocolViolation) -> Bool {
        while true {
            let size = header.count < 2 ? 2 : FrameHeader.size(secondByte: header[1])
            guard header.count < size else { break }
            guard let byte = rest.popFirst() else { return false }
            header.append(byte)
            // The first two bytes are checked at once: what they announce may never arrive.
            if header.count == 2 { _ = try FrameHeader(header) }
        }
        let next = try FrameHeader(header)
        header.removeAll(keepingCapacity: true)
        try begin(next)
        return true
    }

    private mutating func begin(_ next: FrameHeader) throws(ProtocolViolation) {
        (frame, missing) = (next, next.length)
        if next.opcode.isControl { return control.removeAll(keepingCapacity: true) }
        if next.opcode == .continuation {
            guard messageKind != nil else { throw ProtocolViolation("a continuation frame continues no message") }
        } else {
            guard messageKind == nil else {
                throw ProtocolViolation("a message begins before the one before it has ended")
            }
            messageKind = next.opcode
            checker = UTF8Checker()
        }
        guard next.length <= limit - message.count else {
            throw ProtocolViolation("a message has more than \(limit) bytes", .messageTooBig)
        }
    }

    /// Adds a piece of the payload. Returns the event that the frame completes; `nil` for none.
    private mutating func add(
        _ piece: UnsafeRawBufferPointer, to frame: FrameHeader, isComplete: Bool
    ) throws(ProtocolViolation) -> Event? {
        if frame.opcode.isControl {
            control.append(contentsOf: piece)
            return isComplete ? try controlEvent(frame.opcode) : nil
        }
        let isEnd = isComplete && frame.isFinal
        if messageKind == .text {
            guard checker.check(piece), !isEnd || checker.isComplete else {
                throw ProtocolViolation("a text is not UTF-8", .invalidPayload)
            }
        }
        guard isEnd else {
            message.append(contentsOf: piece)
            return nil
        }
        defer {
            messageKind = nil
            // The memory of a large message is not kept.
            message = message.capacity > 64 << 10 ? [] : message
            message.removeAll(keepingCapacity: true)
        }
        // A message in one piece is copied once.
        if message.isEmpty { return .message(made(of: piece)) }
        message.append(contentsOf: piece)
        return .message(message.withUnsafeBytes { made(of: $0) })
    }

    private func made(of bytes: UnsafeRawBufferPointer) -> WebSocketMessage {
        messageKind == .text ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(Data(bytes))
    }

    private mutating func controlEvent(_ opcode: Opcode) throws(ProtocolViolation) -> Event {
        switch opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        default:
            isClosed = true
            return try closeEvent()
        }
    }

    private func closeEvent() throws(ProtocolViolation) -> Event {
        guard !control.isEmpty else { return .close(nil, reason: "") }
        guard control.count >= 2 else { throw ProtocolViolation("a close frame has one byte") }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.isSendable else { throw ProtocolViolation("a close frame has the invalid code \(code)") }
        let reason = Array(control[2...])
        var checker = UTF8Checker()
        guard reason.withUnsafeBytes({ checker.check($0) }), checker.isComplete else {
            throw ProtocolViolation("the reason of a close frame is not UTF-8", .invalidPayload)
        }
        return .close(code, reason: String(decoding: reason, as: UTF8.self))
    }
}

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
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        length = rest.isEmpty ? short : Int(clamping: long)
    }
}

/// Checks that bytes are UTF-8 (RFC 3629), piece by piece. A wrong byte is found as soon as it arrives.
struct UTF8Checker: Sendable {
    /// The number of bytes that the current character still needs.
    private var missing = 0
    /// The range of the next byte of the current character.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes so far end with a complete character.
    var isComplete: Bool { missing == 0 }

    /// Checks further bytes. Returns `false` if they cannot be a part of UTF-8.
    mutating func check(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { index += 8 }
                guard index < bytes.count else { return true }
            }
            guard check(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func check(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard next.contains(byte) else { return false }
            missing -= 1
            next = 0x80...0xBF
            return true
        }
        if byte < 0x80 { return true }
        guard let (length, second) = byte.utf8Sequence else { return false }
        (missing, next) = (length - 1, second)
        return true
    }
}
