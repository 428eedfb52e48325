import TestSupport
import Testing

@testable import Halyard

/// The queue by priority, with random arrivals and departures.
struct WaitingLineTests {
    private static let all: [RequestPriority] = [.high, .normal, .low]

    @Test func `each priority gets its share while all are waiting`() {
        var line = WaitingLine<RequestPriority>()
        for priority in Self.all { for _ in 0..<320 { _ = line.append(priority, priority) } }
        for _ in 0..<20 {
            let turns = (0..<21).compactMap { _ in line.next() }
            #expect(Self.all.map { priority in turns.filter { $0 == priority }.count } == [16, 4, 1])
        }
    }

    @Test(arguments: 0..<20)
    func `elements of a priority leave in order, except for removed ones`(seed: UInt64) throws {
        var random = Seeded(seed)
        var line = WaitingLine<(number: Int, priority: RequestPriority)>()
        var waiting: [(ticket: WaitingLine<(number: Int, priority: RequestPriority)>.Ticket, number: Int)] = []
        var last = [-1, -1, -1]
        for number in 0..<5000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let priority = try random.pick(Self.all)
                waiting.append((line.append((number, priority), priority), number))
            case 2 where !waiting.isEmpty:
                let removed = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
                let results = [line.remove(removed.ticket), line.remove(removed.ticket)]
                #expect(results == [true, false])
            default:
                guard let (number, priority) = line.next() else {
                    #expect(waiting.isEmpty)
                    continue
                }
                #expect(number > last[priority.index])
                last[priority.index] = number
                let count = waiting.count
                waiting.removeAll { $0.number == number }
                #expect(waiting.count == count - 1)
            }
            #expect(line.count == waiting.count && line.isEmpty == waiting.isEmpty)
        }
    }

    @Test(arguments: 0..<20)
    func `a low-priority request waits for at most 22 others, however many arrive`(seed: UInt64) throws {
        var random = Seeded(seed)
        var line = WaitingLine<RequestPriority>()
        for _ in 0..<Int.random(in: 0..<100, using: &random) { _ = line.append(.high, .high) }
        for _ in 0..<Int.random(in: 0..<50, using: &random) { _ = line.next() }
        for _ in 0..<200 {
            _ = line.append(.low, .low)
            var others = 0
            while true {
                // More of higher priority come than leave.
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let priority: RequestPriority = try random.pick([.high, .high, .normal])
                    _ = line.append(priority, priority)
                }
                if line.next() == .low { break }
                others += 1
                try #require(others <= 22)
            }
        }
    }

    @Test func `an empty priority saves up no turns`() {
        var line = WaitingLine<RequestPriority>()
        for _ in 0..<1000 { _ = line.append(.low, .low) }
        for _ in 0..<500 { _ = line.next() }
        for _ in 0..<100 { _ = line.append(.high, .high) }
        let turns = (0..<40).compactMap { _ in line.next() }
        #expect(turns.filter { $0 == .low }.count >= 2)
    }
}
