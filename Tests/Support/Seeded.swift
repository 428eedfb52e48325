/// A random number generator with the same numbers in every run (SplitMix64).
package struct Seeded: RandomNumberGenerator {
    package struct Empty: Error {}

    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns one of the elements.
    package mutating func pick<Element>(_ elements: [Element]) throws -> Element {
        guard let element = elements.randomElement(using: &self) else { throw Empty() }
        return element
    }
}
