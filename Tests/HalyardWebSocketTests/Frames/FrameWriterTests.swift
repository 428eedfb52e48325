import Foundation
@testable import HalyardWebSocket
import Testing

@Suite struct FrameWriterTests {
    @Test func `a frame is masked as in the example of RFC 6455 section 5.7`() {
        let frame = Array("Hello".utf8).withUnsafeBytes {
            FrameWriter.frame(.text, $0, key: UInt32(littleEndian: 0x3D21_FA37))
        }
        #expect(frame == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 65535, 65536, 70001])
    func `the length uses its shortest form, and removing the mask restores the payload`(length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let frame = FrameWriter.frame(.binary(Data(payload)))
        let plain = Frame.binary(payload).bytes
        let size = plain.count - length
        #expect(frame[0] == plain[0] && frame[1] == plain[1] | 0x80 && frame[2..<size] == plain[2..<size])
        let key = Array(frame[size..<size + 4])
        #expect(frame[(size + 4)...].enumerated().map { $1 ^ key[$0 % 4] } == payload)
    }

    @Test func `each frame has its own key`() {
        let keys = Set((0..<100).map { _ in Array(FrameWriter.frame(.text("a"))[2..<6]) })
        #expect(keys.count > 95)
    }

    @Test func `a close frame carries a code and a reason, or nothing`() {
        #expect(FrameWriter.close(nil)[1] == 0x80)
        #expect(FrameWriter.close(.goingAway, reason: "bye")[1] == 0x85)
    }
}
