import Foundation
import HalyardHTTP
import TestSupport
import Testing

/// A latch, and a value that is set once.
struct OneShotTests {
    @Test(.timeLimit(.minutes(3))) func `a value that is already fulfilled is returned immediately`() async {
        let answer = OneShot<String>()
        answer.fulfill("a")
        #expect(await answer.take() == "a")
    }

    @Test(.timeLimit(.minutes(3))) func `a waiter gets another thread's value in either order`() async {
        for round in 0..<2000 {
            let answer = OneShot<Int>()
            Thread.detachNewThread { answer.fulfill(round) }
            #expect(await answer.take() == round)
        }
    }

    @Test(.timeLimit(.minutes(3))) func `only the first value counts, and its thread is told so`() async {
        for _ in 0..<50 {
            let (answer, first) = (OneShot<Int>(), Lock([Int]()))
            await onThreads(4) { number in
                if answer.fulfill(number) { first.withLock { $0.append(number) } }
            }
            #expect(!answer.fulfill(4))
            #expect(await [answer.take()] == first.withLock { $0 })
        }
    }

    @Test(.timeLimit(.minutes(3))) func `reading the value releases it`() async {
        final class Token: Sendable {}
        weak var token: Token?
        let answer = OneShot<Token>()
        do {
            let made = Token()
            token = made
            answer.fulfill(made)
        }
        #expect(token != nil)
        _ = await answer.take()
        #expect(token == nil)
    }

    @Test(.timeLimit(.minutes(3))) func `writes before the fulfilment are visible after the wait`() async {
        /// This class is not thread-safe by itself. The latch orders the accesses.
        final class Count: @unchecked Sendable {
            // This is safe: it is changed before the latch opens, and read after waiting for the latch.
            var value = 0
        }
        for round in 0..<200 {
            let (latch, count) = (Latch(), Count())
            Thread.detachNewThread {
                count.value = round
                latch.open()
                latch.open()
            }
            await latch.wait()
            #expect(count.value == round)
            await latch.wait()  // It stays open.
        }
    }
}
