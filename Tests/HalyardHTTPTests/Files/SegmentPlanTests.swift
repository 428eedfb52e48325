import Testing

@testable import HalyardHTTP

/// The blocks of a body that arrives over several connections.
struct SegmentPlanTests {
    private static let block = SegmentPlan.blockSize

    @Test("ranges cover a body once, become smaller, and have whole blocks", arguments: [1, 4, 16], [1, 100, 100_000])
    func ranges(connections: Int, blocks: Int) throws {
        let total = Self.block * Int64(blocks) - 1
        var plan = try #require(SegmentPlan(total: total))
        var (end, last) = (Int64(0), Int64.max)
        while let range = plan.take(sharedBy: connections) {
            let length = range.upperBound - range.lowerBound
            #expect(range.lowerBound == end && range.lowerBound % Self.block == 0 && length <= last)
            (end, last) = (range.upperBound, length)
        }
        #expect(end == total && (last <= Self.block || connections == 1))
    }

    @Test("a block has arrived with its last byte")
    func blocks() throws {
        let total = Self.block * 2 + 5
        var plan = try #require(SegmentPlan(total: total))
        #expect(plan.take(first: total) == 0..<total)
        #expect(plan.advance(0..<Self.block - 1).isEmpty)
        #expect(plan.advance(Self.block - 1..<Self.block + 1) == 0..<1)
        #expect(plan.completed == Self.block + 1)
        #expect(plan.advance(Self.block + 1..<total) == 1..<3)
        #expect(plan.completed == total && plan.take(sharedBy: 1) == nil)
    }

    @Test("the blocks of an earlier process are not requested again, but the last one of a complete body is")
    func restored() throws {
        let total = Self.block * 3 + 5
        var plan = try #require(SegmentPlan(total: total))
        plan.restore { $0 != 1 }
        #expect(plan.completed == total - Self.block)
        #expect(plan.take(sharedBy: 4) == Self.block..<2 * Self.block)
        #expect(plan.take(sharedBy: 4) == nil)
        plan = try #require(SegmentPlan(total: total))
        plan.restore { _ in true }
        #expect(plan.completed == 3 * Self.block && plan.take(sharedBy: 1) == 3 * Self.block..<total)
    }

    @Test("an empty body, and one whose plan would fill the memory, have no plan", arguments: [0, -1, Int64.max])
    func none(total: Int64) {
        #expect(SegmentPlan(total: total) == nil)
    }
}
