package import Foundation

extension Data {
    /// Whether it is the same, for expectations that are not to print megabytes.
    package func isSame(as other: Data) -> Bool { self == other }

    /// Bytes in which a piece that is lost, doubled or moved shows.
    package static func pattern(_ count: Int) -> Data {
        let block = Data((0..<65_521).map { (n: Int) in UInt8(truncatingIfNeeded: n &* 7 &+ n >> 8) })
        var data = Data(capacity: count)
        while data.count < count { data.append(block.prefix(count - data.count)) }
        return data
    }

    /// Bytes that look alike nowhere, the same ones each time.
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
    /// The elements as a stream has them: one after another.
    package var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
