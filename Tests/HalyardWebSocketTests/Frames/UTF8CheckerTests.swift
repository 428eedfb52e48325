import Foundation
@testable import HalyardWebSocket
import TestSupport
import Testing

@Suite struct UTF8CheckerTests {
    /// Whether bytes are UTF-8, by the checker, in pieces of a size.
    private func isValid(_ bytes: [UInt8], by size: Int = .max) -> Bool {
        var (checker, rest) = (UTF8Checker(), bytes[...])
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            guard piece.withUnsafeBytes({ checker.check($0) }) else { return false }
        }
        return checker.isComplete
    }

    @Test(
        arguments: [
            [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0],
        ] as [[UInt8]])
    func `the first and last character of each length are valid`(bytes: [UInt8]) {
        #expect(isValid(bytes) && isValid(bytes, by: 1))
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func `overlong forms, surrogates, and lone or missing bytes are invalid`(bytes: [UInt8]) {
        #expect(!isValid(bytes) && !isValid(bytes, by: 1))
    }

    @Test func `matches the standard library on random bytes after texts of any length`() {
        var random = Seeded(7)
        for _ in 0..<5000 {
            let start = String(repeating: "a", count: .random(in: 0...20, using: &random)) + "é€😀"
            var bytes = Array(start.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let expected = String(bytes: bytes, encoding: .utf8) != nil
            #expect(isValid(bytes) == expected && isValid(bytes, by: 3) == expected)
        }
    }
}
