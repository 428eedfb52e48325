import Dispatch
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Handlers run in order in each queue, and a queue that is no longer used is removed.
@Suite(.timeLimit(.minutes(3)))
struct HandlerQueuesTests {
    @Test func `empty queues are released`() async {
        let (queues, dispatchQueues) = (Lock(HandlerQueues()), (0..<1000).map { DispatchQueue(label: "\($0)") })
        for queue in dispatchQueues { await queues.withLock { $0.enqueue({}, on: .of(queue)) }?.run() }
        #expect(queues.withLock { $0.count } <= 8)
    }

    @Test func `a global queue has one ID, although each access returns another object`() {
        #expect(HandlerQueueID.of(.global()) == HandlerQueueID.of(.global()))
        #expect(HandlerQueueID.of(.global()) != HandlerQueueID.of(.global(qos: .background)))
        let queues = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
        #expect(HandlerQueueID.of(.global()) != .main && HandlerQueueID.of(queues.0) != HandlerQueueID.of(queues.1))
        withExtendedLifetime(queues) {}
    }

    @Test func `a queue with pending handlers is kept, and keeps their order`() async {
        let (queues, order) = (Lock(HandlerQueues()), Lock([Int]()))
        let dispatchQueues = (0..<100).map { DispatchQueue(label: "\($0)") }
        let first = queues.withLock { $0.enqueue({ order.withLock { $0.append(1) } }, on: nil) }
        for queue in dispatchQueues { await queues.withLock { $0.enqueue({}, on: .of(queue)) }?.run() }
        let second = queues.withLock { $0.enqueue({ order.withLock { $0.append(2) } }, on: nil) }
        #expect(second == nil)
        await first?.run()
        #expect(order.withLock { $0 } == [1, 2])
    }
}
