package import Foundation

extension Data {
    /// Whether the data is equal, for expectations that must not print megabytes.
    package func isSame(as other: Data) -> Bool { self == other }

    /// Data in which a lost, duplicated or moved part is detected.
    package static func pattern(_ count: Int) -> Data {
        let block = Data((0..<65_521).map { (n: Int) in UInt8(truncatingIfNeeded: n &* 7 &+ n >> 8) })
        var data = Data(capacity: count)
        while data.count < count { data.append(block.prefix(count - data.count)) }
        return data
    }

    /// Pseudo-random data without repeated parts, the same in each run.
    package static func noise(_ count: Int) -> Data {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return Data(
            (0..<count).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            })
    }
}

extension Array where Element: Sendable {
    /// Returns the elements as an asynchronous stream.
    package var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
