import Testing

@testable import HalyardCurl

struct FoldGuardTests {
    /// Passes a line to the guard. Returns the line afterwards, and whether it was folded.
    private func shown(_ line: String, to guarding: inout FoldGuard) -> (line: String, isFolded: Bool) {
        var bytes = Array(line.utf8)
        let isFolded = bytes.withUnsafeMutableBytes { guarding.neutralizeFold($0) }
        return (String(decoding: bytes, as: UTF8.self), isFolded)
    }

    @Test(arguments: [(" A: 1", ":A: 1", true), ("\tA: 1", ":A: 1", true), ("A: 1", "A: 1", false), ("", "", false)])
    func `a folded line after a status line is neutralized`(line: String, then: String, isFolded: Bool) {
        var guarding = FoldGuard()
        guarding.arm()
        #expect(shown(line, to: &guarding) == (then, isFolded))
    }

    @Test func `every other line is left unchanged`() {
        var guarding = FoldGuard()
        #expect(shown(" A: 1", to: &guarding) == (" A: 1", false))
        guarding.arm()
        Array("A: 1\r\n".utf8).withUnsafeBytes { guarding.disarm($0) }
        #expect(shown(" A: 1", to: &guarding) == (" A: 1", false))
    }

    @Test func `only a line shown at the address being parsed verifies the guard`() {
        var (line, other, blank) = (Array("A: 1\r\n".utf8), Array("A: 1\r\n".utf8), Array("\r\n".utf8))
        var guarding = FoldGuard()
        line.withUnsafeMutableBytes { line in
            guarding.arm()
            _ = guarding.neutralizeFold(line)
            guarding.disarm(UnsafeRawBufferPointer(line))
            #expect(guarding.isVerified && !guarding.isArmed)

            // A response without header fields changes nothing.
            guarding.arm()
            blank.withUnsafeMutableBytes { guarding.disarm(UnsafeRawBufferPointer($0)) }
            #expect(guarding.isVerified)

            // A line that the guard has seen at another address, or not at all, removes the verification.
            guarding.arm()
            _ = guarding.neutralizeFold(line)
            other.withUnsafeBytes { guarding.disarm($0) }
            #expect(!guarding.isVerified)
            guarding.arm()
            guarding.disarm(UnsafeRawBufferPointer(line))
            #expect(!guarding.isVerified)
        }
    }
}
