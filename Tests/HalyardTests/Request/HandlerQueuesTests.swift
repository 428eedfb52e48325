import Dispatch
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Handlers run in order in each queue, and a queue that is no longer used is removed.
@Suite(.timeLimit(.minutes(3)))
struct HandlerQueuesTests {
    @Test func `a queue ends with its last handler`() async {
        let (queues, calls) = (Lock(HandlerQueues()), Lock(0))
        let mustRun = queues.withLock { $0.add({ calls.withLock { $0 += 1 } }, to: .main) }
        #expect(mustRun && queues.withLock { $0.count } == 1)
        await HandlerQueues.run { queues.withLock { $0.next(of: .main) } }
        #expect(calls.withLock { $0 } == 1 && queues.withLock { $0.count } == 0)
    }

    @Test func `a global queue has a single ID, although each access returns another object`() {
        #expect(HandlerQueueID.of(.global()) == HandlerQueueID.of(.global()))
        #expect(HandlerQueueID.of(.global()) != HandlerQueueID.of(.global(qos: .background)))
        let queues = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
        #expect(HandlerQueueID.of(.global()) != .main && HandlerQueueID.of(queues.0) != HandlerQueueID.of(queues.1))
        withExtendedLifetime(queues) {}
    }

    @Test func `handlers added while their queue runs follow in order in the same task`() async {
        let (queues, order) = (Lock(HandlerQueues()), Lock([Int]()))
        let add = { @Sendable (id: HandlerQueueID, number: Int) in
            queues.withLock { $0.add({ order.withLock { $0.append(number) } }, to: id) }
        }
        let other = DispatchQueue(label: "other")
        _ = queues.withLock { queues in
            queues.add(
                {
                    order.withLock { $0.append(1) }
                    #expect(!add(.main, 3) && add(.of(other), 4))
                }, to: .main)
        }
        #expect(!add(.main, 2))
        await HandlerQueues.run { queues.withLock { $0.next(of: .main) } }
        #expect(order.withLock { $0 } == [1, 2, 3] && queues.withLock { $0.count } == 1)
        await HandlerQueues.run { queues.withLock { $0.next(of: .of(other)) } }
        #expect(order.withLock { $0 } == [1, 2, 3, 4] && queues.withLock { $0.count } == 0)
    }
}
