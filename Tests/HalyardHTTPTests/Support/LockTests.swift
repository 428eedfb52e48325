import Foundation
import HalyardHTTP
import TestSupport
import Testing

struct LockTests {
    @Test(.timeLimit(.minutes(3))) func `no change is lost when many threads use a lock`() async {
        let lock = Lock(0)
        await onThreads(8) { _ in
            for _ in 0..<50_000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 400_000)
    }

    @Test(.timeLimit(.minutes(3))) func `no thread sees a partial change`() async {
        struct Pair { var one = 0, other = 0, torn = 0 }
        let lock = Lock(Pair())
        await onThreads(4) { _ in
            for _ in 0..<50_000 {
                lock.withLock { pair in
                    if pair.one != pair.other { pair.torn += 1 }
                    pair.one += 1
                    pair.other += 1
                }
            }
        }
        #expect(lock.withLock { $0.torn } == 0)
        #expect(lock.withLock { $0.other } == 200_000)
    }

    @Test(.timeLimit(.minutes(3))) func `a typed error releases the lock and keeps the changes`() {
        struct Failure: Error, Equatable {}
        let lock = Lock([1])
        #expect(throws: Failure()) {
            try lock.withLock { (state: inout [Int]) throws(Failure) -> Void in
                state.append(2)
                throw Failure()
            }
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }

    @Test func `a released lock frees its state`() {
        final class Token: Sendable {}
        weak var token: Token?
        var lock: Lock<Token>?
        do {
            let made = Token()
            token = made
            lock = Lock(made)
        }
        #expect(token != nil && lock != nil)
        lock = nil
        #expect(token == nil)
    }
}
