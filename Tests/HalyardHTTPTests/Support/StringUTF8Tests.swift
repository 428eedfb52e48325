@testable import HalyardHTTP
import Testing

/// Valid and invalid UTF-8, with the same result on every system.
struct StringUTF8Tests {
    @Test(
        arguments: [
            [], [0x41], [0xC3, 0xA9], [0xEF, 0xBF, 0xBD], [0xEF, 0xBB, 0xBF, 0x41], [0xF0, 0x9F, 0x98, 0x80], [0x00],
            // A lone continuation byte, an overlong form, a surrogate, a value beyond Unicode, a truncated character,
            // and one truncated to the length of U+FFFD.
            [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3], [0x41, 0xF0, 0x9F, 0x98],
            [0xFF],
        ] as [[UInt8]])
    func `older systems decode the same text or fail in the same way`(bytes: [UInt8]) {
        #expect(String(comparing: bytes) == String(utf8: bytes))
        #expect(String(comparing: bytes).map { Array($0.utf8) } ?? bytes == bytes)
    }

    @Test func `random bytes are judged in the same way`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                [UInt8(0x41), 0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF0, 0xF4, .random(in: 0...255)].randomElement() ?? 0
            }
            #expect(String(comparing: bytes) == String(utf8: bytes), "\(bytes)")
        }
    }
}
