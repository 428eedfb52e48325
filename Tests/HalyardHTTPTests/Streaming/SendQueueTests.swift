import HalyardHTTP
import TestSupport
import Testing

/// A queue of messages between tasks and an engine.
@Suite(.timeLimit(.minutes(3)))
struct SendQueueTests {
    /// Reads up to a number of bytes, as an engine does.
    private func read(_ queue: SendQueue, atMost count: Int = 100) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        switch bytes.withUnsafeMutableBytes({ queue.read(into: $0) }) {
        case .bytes(let count): return Array(bytes.prefix(count))
        case .nothingYet: return []
        case .end: return nil
        }
    }

    @Test func `messages are read in order, in pieces of any size`() throws {
        let queue = SendQueue(capacity: 10)
        for message in [[1, 2, 3], [], [4], [5, 6]] as [[UInt8]] { try queue.append(message) }
        #expect(!queue.isEmpty)
        #expect(
            [read(queue, atMost: 2), read(queue, atMost: 3), read(queue), read(queue)] == [
                [1, 2], [3, 4, 5], [6], [],
            ])
        #expect(queue.isEmpty)
    }

    @Test func `urgent messages precede those not yet started, and only the latest ones are kept`() throws {
        let queue = SendQueue(capacity: 10)
        try queue.append([1, 2])
        try queue.append([3])
        #expect(read(queue, atMost: 1) == [1])
        queue.writeUrgent([8])
        queue.writeUrgent([9])
        #expect(!queue.isEmpty && read(queue) == [2, 8, 9, 3])
        for number in 0..<UInt8(SendQueue.urgentLimit + 2) { queue.writeUrgent([number]) }
        #expect(read(queue) == Array(2..<UInt8(SendQueue.urgentLimit + 2)))
    }

    @Test func `the engine is notified once each time it has found the queue empty`() throws {
        let queue = SendQueue(capacity: 10)
        let calls = Counter()
        queue.onChange { calls.increment() }
        try queue.append([1])
        #expect(calls.count == 0)
        #expect(read(queue) == [1] && read(queue) == [])
        try queue.append([2])
        try queue.append([3])
        #expect(calls.count == 1 && read(queue) == [2, 3] && read(queue) == [])
        queue.writeUrgent([4])
        #expect(calls.count == 2 && read(queue) == [4] && read(queue) == [])
        queue.finish()
        #expect(calls.count == 3)
    }

    @Test func `writers wait while the queue is full, first in, first out`() async throws {
        let queue = SendQueue(capacity: 4)
        try await queue.write([0, 0, 0, 0])
        let done = Counter()
        var tasks: [Task<Void, any Error>] = []
        for number in 1...5 as ClosedRange<UInt8> {
            tasks.append(
                Task {
                    try await queue.write([number, number, number, number])
                    done.increment()
                })
            try await eventually("it waits") { queue.waitingCount == Int(number) }
        }
        tasks[2].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[2].value }
        #expect(done.count == 0)
        var bytes: [UInt8] = []
        for _ in 0..<5 {
            try await eventually("there is a message") { !queue.isEmpty }
            bytes += read(queue, atMost: 4) ?? []
        }
        #expect(bytes == [0, 1, 2, 4, 5].flatMap { [UInt8](repeating: $0, count: 4) })
        for index in [0, 1, 3, 4] { try await tasks[index].value }
    }

    @Test func `nothing follows the last message but the end`() async throws {
        let queue = SendQueue(capacity: 4)
        #expect(queue.seal(with: [1]))
        #expect(!queue.seal(with: [2]))
        await #expect(throws: SendQueue.Sealed.self) { try await queue.write([3]) }
        #expect(throws: SendQueue.Sealed.self) { try queue.append([3]) }
        queue.writeUrgent([4])
        #expect(read(queue) == [1] && read(queue) == [])
        queue.finish()
        #expect(read(queue) == nil)
    }

    @Test func `a failure drops the messages and wakes the writers`() async throws {
        let queue = SendQueue(capacity: 1)
        try queue.append([1])
        let writer = Task { try await queue.write([2]) }
        try await eventually("it waits") { queue.waitingCount == 1 }
        queue.fail(throwing: HTTPError.connectionLost)
        await #expect(throws: HTTPError.connectionLost) { try await writer.value }
        await #expect(throws: HTTPError.connectionLost) { try await queue.write([3]) }
        #expect(queue.isEmpty && read(queue) == nil)
    }
}
