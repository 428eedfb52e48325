import Foundation
import HalyardTesting

/// Lets the thread sleep for a number of milliseconds.
func pause(_ milliseconds: Double) { Thread.sleep(forTimeInterval: milliseconds / 1000) }

/// Makes a server that works on a number of requests at once, and takes a time for each. Others wait.
func workers(_ count: Int, _ milliseconds: Double) throws -> LoopbackServer {
    let workers = DispatchSemaphore(value: count)
    return try LoopbackServer().on(.get, "/*") { _ in
        workers.wait()
        defer { workers.signal() }
        pause(milliseconds)
        return .status(200)
    }
}

/// Numbers that look random, and are the same in each run.
final class Numbers: Sendable {
    private let state = Protected<UInt64>(1)

    func next() -> UInt64 {
        state.with { state in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}

/// Counts the requests that a server has at once.
final class Load: Sendable {
    private let count = Protected(0)

    func during(_ work: (Int) -> Void) {
        let now = count.with {
            $0 += 1
            return $0
        }
        work(now)
        count.with { $0 -= 1 }
    }
}

/// The rate limit of a server.
final class Quota: Sendable {
    private let state: Protected<(tokens: Double, last: ContinuousClock.Instant)>
    private let rate: Double
    private let burst: Double

    init(_ rate: Double, burst: Double) {
        (self.rate, self.burst) = (rate, burst)
        state = Protected((burst, .now))
    }

    func take() -> Bool {
        state.with { state in
            let now = ContinuousClock.now
            // A little more than the rate, as requests do not arrive as evenly as they are sent.
            state.tokens = min(burst * 1.5, state.tokens + (now - state.last) / .seconds(1) * rate * 1.05)
            state.last = now
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}

/// A value with a lock.
final class Protected<Value: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable` is sound: the value is accessed only under the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
