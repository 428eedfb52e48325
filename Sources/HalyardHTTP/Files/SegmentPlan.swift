/// Which blocks of a body have arrived, and which range a connection requests next. Pure: it neither reads nor writes
/// the body.
package struct SegmentPlan: Sendable, Equatable {
    /// The most that a process that is killed loses of what each connection has received.
    package static let blockSize: Int64 = 256 << 10
    /// The largest body that is divided, 1 TiB. The server states the length, and the blocks of this one take 4 MiB of
    /// memory.
    private static let sizeLimit = blockSize << 22

    /// The state of a block.
    enum Block: UInt8 {
        case missing, arrived, requested
    }

    /// The number of bytes of the body.
    let total: Int64
    private(set) var blocks: [Block]
    /// The number of bytes that have arrived, including those of incomplete blocks.
    private(set) var completed: Int64 = 0

    /// Makes the plan of a body of which nothing has arrived. `nil` for one that is empty or too large.
    init?(total: Int64) {
        guard 1...Self.sizeLimit ~= total else { return nil }
        self.total = total
        blocks = Array(repeating: .missing, count: Int((total - 1) / Self.blockSize) + 1)
    }

    /// Records the blocks of an earlier process. If all have arrived, the last one is requested again, because that is
    /// the only way to learn whether the server still has this version.
    mutating func restore(_ hasArrived: (Int) -> Bool) {
        for index in blocks.indices where hasArrived(index) { blocks[index] = .arrived }
        if !blocks.contains(.missing) { blocks[blocks.count - 1] = .missing }
        completed = blocks.indices.reduce(0) { $0 + (blocks[$1] == .arrived ? end(of: $1) - start(of: $1) : 0) }
    }

    private func start(of block: Int) -> Int64 { Int64(block) * Self.blockSize }

    private func end(of block: Int) -> Int64 { min(start(of: block + 1), total) }

    /// Takes the blocks of the first `count` bytes.
    mutating func take(first count: Int64) -> Range<Int64> {
        take(0..<min(blocks.count, Int((count - 1) / Self.blockSize) + 1))
    }

    /// Takes the next range that is missing; `nil` if there is none. With several connections, it is at most half of an
    /// equal share of all that is missing, so that connections of different speeds end together, after few requests.
    mutating func take(sharedBy connections: Int) -> Range<Int64>? {
        guard let first = blocks.firstIndex(of: .missing) else { return nil }
        let rest = blocks[first...]
        let missing = rest.reduce(0) { $0 + ($1 == .missing ? 1 : 0) }
        let limit = first + max(1, connections > 1 ? missing / (2 * connections) : missing)
        return take(first..<min(limit, rest.firstIndex { $0 != .missing } ?? rest.endIndex))
    }

    private mutating func take(_ range: Range<Int>) -> Range<Int64> {
        for index in range { blocks[index] = .requested }
        return start(of: range.lowerBound)..<end(of: range.upperBound - 1)
    }

    /// Records bytes of a range that was taken, which arrive in order. Returns the blocks that are complete now.
    mutating func advance(_ bytes: Range<Int64>) -> Range<Int> {
        completed += bytes.upperBound - bytes.lowerBound
        let first = Int(bytes.lowerBound / Self.blockSize)
        let last = bytes.upperBound == total ? blocks.count : Int(bytes.upperBound / Self.blockSize)
        for index in first..<max(first, last) { blocks[index] = .arrived }
        return first..<max(first, last)
    }
}
