import Dispatch
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Handlers run in order within a lane, and a lane that is not used any more costs nothing.
@Suite(.timeLimit(.minutes(3)))
struct HandlerQueuesTests {
    @Test func `queues that have run dry are let go`() async {
        let (queues, lanes) = (Lock(HandlerQueues()), (0..<1000).map { DispatchQueue(label: "\($0)") })
        for queue in lanes { await queues.withLock { $0.put({}, in: .of(queue)) }?.run() }
        #expect(queues.withLock { $0.count } <= 8)
    }

    @Test func `a global queue is one lane, however often it is asked for`() {
        #expect(Lane.of(.global()) == Lane.of(.global()))
        #expect(Lane.of(.global()) != Lane.of(.global(qos: .background)))
        let queues = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
        #expect(Lane.of(.global()) != .main && Lane.of(queues.0) != Lane.of(queues.1))
        withExtendedLifetime(queues) {}
    }

    @Test func `one that is still to run stays, and keeps its order`() async {
        let (queues, order) = (Lock(HandlerQueues()), Lock([Int]()))
        let lanes = (0..<100).map { DispatchQueue(label: "\($0)") }
        let first = queues.withLock { $0.put({ order.withLock { $0.append(1) } }, in: nil) }
        for queue in lanes { await queues.withLock { $0.put({}, in: .of(queue)) }?.run() }
        let second = queues.withLock { $0.put({ order.withLock { $0.append(2) } }, in: nil) }
        #expect(second == nil)
        await first?.run()
        #expect(order.withLock { $0 } == [1, 2])
    }
}
