import Testing

@testable import HalyardCurl

struct FoldGuardTests {
    /// What becomes of a line that is shown, and whether it was folded.
    private func shown(_ line: String, to guarding: inout FoldGuard) -> (line: String, isFolded: Bool) {
        var bytes = Array(line.utf8)
        let isFolded = bytes.withUnsafeMutableBytes { guarding.unfold($0) }
        return (String(decoding: bytes, as: UTF8.self), isFolded)
    }

    @Test(arguments: [(" A: 1", ":A: 1", true), ("\tA: 1", ":A: 1", true), ("A: 1", "A: 1", false), ("", "", false)])
    func `the line after a status line is none that is folded`(line: String, then: String, isFolded: Bool) {
        var guarding = FoldGuard()
        guarding.raise()
        #expect(shown(line, to: &guarding) == (then, isFolded))
    }

    @Test func `every other line is left alone`() {
        var guarding = FoldGuard()
        #expect(shown(" A: 1", to: &guarding) == (" A: 1", false))
        guarding.raise()
        Array("A: 1\r\n".utf8).withUnsafeBytes { guarding.lower($0) }
        #expect(shown(" A: 1", to: &guarding) == (" A: 1", false))
    }

    @Test func `it is proven by a line that is shown where it is handed over, and by nothing else`() {
        var (line, other, blank) = (Array("A: 1\r\n".utf8), Array("A: 1\r\n".utf8), Array("\r\n".utf8))
        var guarding = FoldGuard()
        line.withUnsafeMutableBytes { line in
            guarding.raise()
            _ = guarding.unfold(line)
            guarding.lower(UnsafeRawBufferPointer(line))
            #expect(guarding.isProven && !guarding.isUp)

            // A response without fields says nothing about it.
            guarding.raise()
            blank.withUnsafeMutableBytes { guarding.lower(UnsafeRawBufferPointer($0)) }
            #expect(guarding.isProven)

            // One that was shown elsewhere, or not at all, does.
            guarding.raise()
            _ = guarding.unfold(line)
            other.withUnsafeBytes { guarding.lower($0) }
            #expect(!guarding.isProven)
            guarding.raise()
            guarding.lower(UnsafeRawBufferPointer(line))
            #expect(!guarding.isProven)
        }
    }
}
