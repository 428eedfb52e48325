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

    /// A frame whose payload is arriving.
    private struct Frame: Sendable {
        let opcode: Opcode
        let isFinal: Bool
        /// The number of bytes that are still to come.
        var missing: Int
    }

    private let limit: Int
    private var header: [UInt8] = []
    private var frame: Frame?
    /// The kind of the message that is arriving; `nil` between messages.
    private var messageKind: Opcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var checker = UTF8Checker()
    /// Whether a close frame has arrived. What follows it is ignored.
    private(set) var isClosed = false

    /// Makes a parser.
    ///
    /// - Parameter limit: The maximum number of bytes of a message, in all of its frames.
    init(limit: Int) { self.limit = limit }

    /// Parses further bytes.
    ///
    /// - Parameter receive: Receives each event, in order.
    /// - Throws: ``ProtocolViolation``. The parser must not be used again.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, _ receive: (Event) -> Void
    ) throws(ProtocolViolation) {
        var rest = bytes[...]
        while !isClosed {
            if frame == nil {
                guard try readHeader(&rest) else { return }
            }
            guard let frame else { return }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(frame.missing))
            rest = rest.dropFirst(piece.count)
            let isComplete = piece.count == frame.missing
            if let event = try add(piece, to: frame, isComplete: isComplete) { receive(event) }
            self.frame?.missing -= piece.count
            guard isComplete else { return }
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
        frame = Frame(opcode: next.opcode, isFinal: next.isFinal, missing: next.length)
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

    /// Adds a piece of the payload.
    ///
    /// - Returns: The event that the frame completes; `nil` for none.
    private mutating func add(
        _ piece: UnsafeRawBufferPointer, to frame: Frame, isComplete: Bool
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
