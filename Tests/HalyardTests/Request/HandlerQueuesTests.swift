import Dispatch
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Handlers run in order in each queue, and a queue that is no longer used is removed.
@Suite(.timeLimit(.minutes(3)))
struct HandlerQueuesTests {
    @Test func `a queue ends when its last handler has returned`() async {
        let (queues, calls) = (Lock(HandlerQueues()), Lock(0))
        let handler: HandlerQueues.Handler = { next in
            calls.withLock { $0 += 1 }
            #expect(queues.withLock { $0.count } == 1)
            next()
        }
        #expect(queues.withLock { $0.add(handler, to: .main) })
        await HandlerQueues.run(handler) { queues.withLock { $0.next(of: .main) } }
        #expect(calls.withLock { $0 } == 1 && queues.withLock { $0.count } == 0)
    }

    @Test func `a global queue and the main queue have a single ID, although each access returns another object`() {
        #expect(HandlerQueueID.of(.main) == .main)
        #expect(HandlerQueueID.of(.global()) == HandlerQueueID.of(.global()))
        #expect(HandlerQueueID.of(.global()) != HandlerQueueID.of(.global(qos: .background)))
        let queues = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
        #expect(HandlerQueueID.of(.global()) != .main && HandlerQueueID.of(queues.0) != HandlerQueueID.of(queues.1))
        withExtendedLifetime(queues) {}
    }

    @Test func `handlers added while their queue runs follow in order, and other queues do not wait`() async {
        let (queues, order, end) = (Lock(HandlerQueues()), Lock([Int]()), OneShot<Void>())
        let run = { @Sendable (id: HandlerQueueID, handler: HandlerQueues.Handler) in
            await HandlerQueues.run(handler) { queues.withLock { $0.next(of: id) } }
        }
        let append = { @Sendable (number: Int) in order.withLock { $0.append(number) } }
        let third: HandlerQueues.Handler = { next in
            append(3)
            next()
            end.fulfill(())
        }
        let second: HandlerQueues.Handler = { next in
            append(2)
            next()
        }
        let other = HandlerQueueID.of(.global())
        let first: HandlerQueues.Handler = { next in
            append(1)
            #expect(!queues.withLock { $0.add(third, to: .main) })
            #expect(queues.withLock { $0.add(second, to: other) })
            await run(other, second)
            next()
        }
        #expect(queues.withLock { $0.add(first, to: .main) })
        #expect(!queues.withLock { $0.add(second, to: .main) })
        await run(.main, first)
        await end.take()
        #expect(order.withLock { $0 } == [1, 2, 2, 3] && queues.withLock { $0.count } == 0)
    }

    @Test func `a handler on a queue holds up those that follow, and not the task that calls it`() async {
        let (queues, order, end) = (Lock(HandlerQueues()), Lock([Int]()), OneShot<Void>())
        let place = DispatchQueue(label: "place")
        place.suspend()
        let call = { @Sendable (number: Int) -> HandlerQueues.Handler in
            let handler = Handler<Int>.queue(place) { number in
                order.withLock { $0.append(number) }
                if number == 2 { end.fulfill(()) }
            }
            return { next in await handler.call(with: number, then: next) }
        }
        #expect(queues.withLock { $0.add(call(1), to: .of(place)) })
        #expect(!queues.withLock { $0.add(call(2), to: .of(place)) })
        await HandlerQueues.run(call(1)) { queues.withLock { $0.next(of: .of(place)) } }
        #expect(order.withLock { $0 }.isEmpty)
        place.resume()
        await end.take()
        #expect(order.withLock { $0 } == [1, 2])
    }
}
