import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardFutures

/// Cancellation is passed upward to futures without other listeners.
@Suite(.timeLimit(.minutes(3)))
struct CancellationTests {
    private func watched() -> (Promise<Int>, Lock<Int>) {
        let promise = Promise<Int>()
        let cancels = Lock(0)
        promise.onCancel { cancels.withLock { $0 += 1 } }
        return (promise, cancels)
    }

    @Test func `a mapped future cancels its parent if no other child listens`() async throws {
        let (promise, cancels) = watched()
        let (a, b) = (promise.future.map { $0 }, promise.future.map { $0 })
        a.cancel()
        #expect(cancels.withLock { $0 } == 0)
        await #expect(throws: HTTPError.cancelled) { try await a.value }
        b.cancel()
        #expect(cancels.withLock { $0 } == 1)
        await #expect(throws: HTTPError.cancelled) { try await promise.future.value }
    }

    /// Uses a promise when it is released.
    private final class Owner: Sendable {
        let promise: Promise<Int>
        init(_ promise: Promise<Int>) { self.promise = promise }
        func add(_ value: Int) -> Int { value + 1 }
        deinit { promise.future.cancel() }
    }

    /// Runs `body` on a thread of its own, because a deadlock would block it.
    private func returns(_ body: @escaping @Sendable () -> Void) async throws {
        let hasReturned = Lock(false)
        Thread.detachNewThread {
            body()
            hasReturned.withLock { $0 = true }
        }
        try await eventually("it returns") { hasReturned.withLock { $0 } }
    }

    @Test func `an object released by a removed listener may use the future`() async throws {
        let promise = Promise<Int>()
        try await returns {
            let owner = Owner(promise)
            let derived = promise.future.map { owner.add($0) }
            derived.cancel()
        }
        await #expect(throws: HTTPError.cancelled) { try await promise.future.value }
    }

    @Test func `an object released by a completed or replaced cancellation handler may use the future`() async throws {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        try await returns {
            first.onCancel { [owner = Owner(first)] in _ = owner.add(1) }
            first.succeed(1)
            second.onCancel { [owner = Owner(second)] in _ = owner.add(1) }
            second.onCancel {}
        }
        #expect(try await first.future.value == 1)
        await #expect(throws: HTTPError.cancelled) { try await second.future.value }
    }

    @Test func `a handler counts as a listener`() async throws {
        let (promise, cancels) = watched()
        promise.future.onSuccess { _ in }
        promise.future.map { $0 }.cancel()
        #expect(cancels.withLock { $0 } == 0)
        promise.succeed(1)
        #expect(try await promise.future.value == 1)
    }

    @Test func `canceling flatMap after its second future exists cancels that future`() async throws {
        let (first, firstCancels) = watched()
        let (second, secondCancels) = watched()
        let chained = first.future.flatMap { _ in second.future }
        first.succeed(1)
        chained.cancel()
        #expect(secondCancels.withLock { $0 } == 1)
        #expect(firstCancels.withLock { $0 } == 0)
    }

    @Test func `a canceled flatMap does not create its second future`() async throws {
        let (first, cancels) = watched()
        let made = Lock(false)
        let chained = first.future.flatMap { value in
            made.withLock { $0 = true }
            return Future(value: value)
        }
        chained.cancel()
        #expect(cancels.withLock { $0 } == 1)
        first.succeed(1)
        #expect(!made.withLock { $0 })
    }

    @Test func `canceling the last task that awaits a future cancels the future`() async throws {
        let (promise, cancels) = watched()
        let started = Counter()
        let waiting = (0..<2).map { _ in
            Task {
                let future = promise.future.map { $0 }
                started.increment()
                return try await future.value
            }
        }
        try await eventually("both tasks have a future") { started.count == 2 }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        waiting[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        try await eventually("it is cancelled") { cancels.withLock { $0 } == 1 }
    }

    @Test func `an async closure is canceled together with its future`() async throws {
        let isCancelled = Lock(false)
        let future = Future<Int> {
            try await eventually("it is cancelled") { Task.isCancelled }
            isCancelled.withLock { $0 = true }
            return 1
        }
        future.cancel()
        try await eventually("it is cancelled") { isCancelled.withLock { $0 } }
        await #expect(throws: HTTPError.cancelled) { try await future.value }
    }

    @Test func `zip, all, any and race cancel the other futures once the outcome is known`() async throws {
        for gather in [
            { zip($0, $1).map { $0.0 } }, { Future.all([$0, $1]).map { $0[0] } }, { Future.race([$0, $1]) },
        ] as [(Future<Int>, Future<Int>) -> Future<Int>] {
            let (a, _) = watched()
            let (b, cancels) = watched()
            let together = gather(a.future, b.future)
            a.fail(FutureLawTests.Bad())
            await #expect(throws: FutureLawTests.Bad()) { try await together.value }
            #expect(cancels.withLock { $0 } == 1)
        }
        let (a, _) = watched()
        let (b, cancels) = watched()
        let any = Future.any([a.future, b.future])
        a.succeed(1)
        #expect(try await any.value == 1)
        #expect(cancels.withLock { $0 } == 1)
    }

    @Test func `a future derived from a completed one cancels the future it continues with`() async throws {
        let (second, cancels) = watched()
        Future(value: 1).flatMap { _ in second.future }.cancel()
        #expect(cancels.withLock { $0 } == 1)
        let (third, otherCancels) = watched()
        Future<Int>(error: FutureLawTests.Bad()).flatMapError { _ in third.future }.cancel()
        #expect(otherCancels.withLock { $0 } == 1)

        let clock = ManualClock()
        let delayed = Future(value: 1).delay(by: .seconds(1), clock: clock)
        try await eventually("it sleeps") { clock.sleeperCount == 1 }
        delayed.cancel()
        try await eventually("it does not sleep any more") { clock.sleeperCount == 0 }
        await #expect(throws: HTTPError.cancelled) { try await delayed.value }
    }

    @Test func `a derived future cancels its second one, even if another thread completes the first meanwhile`()
        async throws
    {
        for _ in 0..<1000 {
            let first = Promise<Int>()
            let (second, cancels) = watched()
            let (start, future) = (first.future, second.future)
            async let completed: Void = first.succeed(1)
            let chained = start.flatMap { _ in future }
            await completed
            chained.cancel()
            #expect(cancels.withLock { $0 } == 1)
        }
    }
}
