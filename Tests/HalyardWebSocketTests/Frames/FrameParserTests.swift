import Foundation
@testable import HalyardWebSocket
import TestSupport
import Testing

/// What the parser makes of bytes.
struct Parsed: Equatable {
    var events: [FrameParser.Event] = []
    var violation: WebSocketCloseCode?

    /// Parses bytes in pieces of a size.
    init(_ bytes: [UInt8], by size: Int = .max, limit: Int = 1 << 20) {
        var parser = FrameParser(limit: limit)
        var rest = bytes[...]
        do throws(ProtocolViolation) {
            while !rest.isEmpty {
                let piece = Array(rest.prefix(size))
                rest = rest.dropFirst(piece.count)
                var events: [FrameParser.Event] = []
                let result = piece.withUnsafeBytes { bytes in
                    Result { () throws(ProtocolViolation) in try parser.parse(bytes) { events.append($0) } }
                }
                self.events += events
                try result.get()
            }
        } catch { violation = error.code }
    }

    init(_ frames: Frame..., limit: Int = 1 << 20) { self.init(frames.flatMap(\.bytes), limit: limit) }

    init(events: [FrameParser.Event], violation: WebSocketCloseCode? = nil) {
        (self.events, self.violation) = (events, violation)
    }
}

/// The groups are those of Autobahn's test suite: framing, pings, reserved bits, opcodes, fragmentation, UTF-8, close
/// handling, limits.
@Suite struct FrameParserTests {
    // Framing.

    @Test(arguments: [0, 1, 124, 125, 126, 127, 128, 65535, 65536, 100_000], [1, 2, 3, 997, .max])
    func `a message of any length arrives in pieces of any size`(length: Int, size: Int) {
        let text = String(repeating: "*", count: length)
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let frames = Frame.text(text).bytes + Frame.binary(bytes).bytes
        #expect(
            Parsed(frames, by: size) == Parsed(events: [.message(.text(text)), .message(.binary(Data(bytes)))]))
    }

    @Test(arguments: [
        [0x82, 126, 0, 125], [0x82, 126, 0, 0], [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
        [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1], [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ])
    func `a length that is negative or not in the shortest form is refused`(bytes: [UInt8]) {
        #expect(Parsed(bytes, by: 1) == Parsed(events: [], violation: .protocolError))
    }

    @Test func `a masked frame is refused at its second byte`() {
        #expect(Parsed([0x81, 0x85]).violation == .protocolError)
    }

    // Pings.

    @Test(arguments: [0, 1, 125]) func `pings and pongs carry up to 125 bytes`(length: Int) {
        let payload = [UInt8](repeating: 0xFE, count: length)
        let events = Parsed(Frame(0x89, payload).bytes + Frame(0x8A, payload).bytes, by: 3).events
        #expect(events == [.ping(payload), .pong(payload)])
    }

    @Test(arguments: [0x88, 0x89, 0x8A] as [UInt8]) func `refuses a 126-byte control frame immediately`(first: UInt8) {
        #expect(Parsed([first, 126]).violation == .protocolError)
        #expect(Parsed([first, 127]).violation == .protocolError)
    }

    // Reserved bits and opcodes.

    @Test(arguments: 1...7, [0, 1, 2, 8, 9, 10] as [UInt8])
    func `a reserved bit is refused in every frame`(bits: Int, opcode: UInt8) {
        let first = 0x80 | UInt8(bits) << 4 | opcode
        #expect(Parsed([first, 0]).violation == .protocolError)
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func `a reserved opcode is refused after the messages before it`(opcode: UInt8) {
        let parsed = Parsed(.text("a"), Frame(0x80 | opcode))
        #expect(parsed == Parsed(events: [.message(.text("a"))], violation: .protocolError))
    }

    // Fragmentation.

    @Test(arguments: [1, 2, 5, .max]) func `frames of a message are joined, even around control frames`(size: Int) {
        let frames = [
            Frame(0x01, Array("frag".utf8)), Frame(0x89, [1]), Frame(0x00), Frame(0x00, Array("men".utf8)),
            Frame(0x8A, [2]), Frame(0x80, Array("t".utf8)), Frame(0x02, [1]), Frame(0x80, [2]),
        ]
        #expect(
            Parsed(frames.flatMap(\.bytes), by: size).events
                == [.ping([1]), .pong([2]), .message(.text("fragment")), .message(.binary(Data([1, 2])))])
    }

    @Test func `a message may consist of empty frames only`() {
        #expect(Parsed(Frame(0x01), Frame(0x00), Frame(0x80)).events == [.message(.text(""))])
    }

    @Test(arguments: [
        [Frame(0x80)], [Frame(0x00)], [Frame(0x01), Frame(0x01)], [Frame(0x01), Frame(0x82)],
        [Frame(0x01), Frame(0x80), Frame(0x80)], [Frame(0x09)], [Frame(0x0A)], [Frame(0x08)],
    ])
    func `frames in the wrong order and fragmented control frames are refused`(frames: [Frame]) {
        #expect(Parsed(frames.flatMap(\.bytes)).violation == .protocolError)
    }

    // UTF-8.

    @Test func `a character may be split between frames`() {
        let bytes = Array("κόσμε 𝄞".utf8)
        let frames = bytes.enumerated().map { Frame($0 == 0 ? 0x01 : 0x00, [$1]) } + [Frame(0x80)]
        #expect(Parsed(frames.flatMap(\.bytes)).events == [.message(.text("κόσμε 𝄞"))])
    }

    @Test func `an invalid byte is refused when it arrives, not at the end of the message`() {
        var parser = FrameParser(limit: 1 << 20)
        let start: [UInt8] = [0x01, 100] + Array("abc".utf8) + [0xF4]
        #expect(throws: Never.self) { try start.withUnsafeBytes { try parser.parse($0) { _ in } } }
        #expect(throws: ProtocolViolation("a text is not UTF-8", .invalidPayload)) {
            try [UInt8(0x90)].withUnsafeBytes { try parser.parse($0) { _ in } }
        }
    }

    @Test func `text that ends inside a character is refused, and a binary message is not checked`() {
        #expect(Parsed(Frame(0x81, [0xE2, 0x82])).violation == .invalidPayload)
        #expect(Parsed(Frame(0x01, [0xE2, 0x82]), Frame(0x80)).violation == .invalidPayload)
        #expect(Parsed(.binary([0xFF])).events == [.message(.binary(Data([0xFF])))])
    }

    // Close handling.

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func `a valid close code is accepted`(code: UInt16) {
        let expected = FrameParser.Event.close(WebSocketCloseCode(rawValue: code), reason: "why")
        #expect(Parsed(.close(code, "why")) == Parsed(events: [expected]))
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
    func `an invalid close code is refused`(code: UInt16) {
        #expect(Parsed(.close(code)) == Parsed(events: [], violation: .protocolError))
    }

    @Test func `a close frame has no payload, or a code and a UTF-8 reason`() {
        #expect(Parsed(Frame(0x88)).events == [.close(nil, reason: "")])
        #expect(Parsed(Frame(0x88, [3])).violation == .protocolError)
        let long = String(repeating: "r", count: 123)
        #expect(Parsed(.close(1000, long)).events == [.close(.normalClosure, reason: long)])
        #expect(Parsed(Frame(0x88, [3, 0xE8, 0xFF])).violation == .invalidPayload)
        #expect(Parsed(Frame(0x88, [3, 0xE8, 0xE2, 0x82])).violation == .invalidPayload)
    }

    @Test func `anything after a close frame is ignored, even within a message`() {
        #expect(Parsed(.close(1000), Frame(0x83), .text("x")).events == [.close(.normalClosure, reason: "")])
        #expect(Parsed(Frame(0x01, [65]), .close(1001)).events == [.close(.goingAway, reason: "")])
    }

    // Limits.

    @Test func `a message may be as long as the limit, and one byte more is refused before it arrives`() {
        #expect(Parsed(.binary([1, 2, 3, 4]), limit: 4).events.count == 1)
        #expect(Parsed([0x82, 5], limit: 4).violation == .messageTooBig)
        #expect(Parsed([0x82, 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7), limit: 4).violation == .messageTooBig)
        #expect(Parsed(Frame(0x02, [1, 2, 3]), Frame(0x80, [4]), limit: 4).events.count == 1)
        #expect(Parsed(Frame(0x02, [1, 2, 3]), Frame(0x80, [4, 5]), limit: 4).violation == .messageTooBig)
        // The limit is not for control frames.
        #expect(Parsed(Frame(0x89, [1, 2, 3, 4, 5]), limit: 4).events.count == 1)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `ten thousand messages arrive in pieces of random sizes`(seed: UInt64) {
        var random = Seeded(seed)
        var (bytes, expected) = ([UInt8](), [FrameParser.Event]())
        for number in 0..<10_000 {
            let text = "\(number) " + String(repeating: "ä", count: .random(in: 0...90, using: &random))
            expected.append(.message(.text(text)))
            if Bool.random(using: &random) {
                bytes += Frame.text(text).bytes
            } else {
                let all = Array(text.utf8)
                let split = Int.random(in: 0...all.count, using: &random)
                bytes += Frame(0x01, Array(all[..<split])).bytes + Frame(0x80, Array(all[split...])).bytes
            }
        }
        #expect(Parsed(bytes, by: .random(in: 1...5000, using: &random)).events == expected)
    }
}
