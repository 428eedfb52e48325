import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardFutures

/// Rules that hold for every future with any timing of threads.
@Suite(.timeLimit(.minutes(3)))
struct FutureLawTests {
    struct Bad: Error, Equatable { var code = 0 }

    @Test func `map follows the functor laws: identity and composition`() async throws {
        #expect(try await Future(value: 7).map { $0 }.value == 7)
        let twice = Future(value: 7).map { $0 + 1 }.map { $0 * 2 }
        #expect(try await twice.value == Future(value: 7).map { ($0 + 1) * 2 }.value)
        await #expect(throws: Bad(code: 1)) { try await Future<Int>(error: Bad(code: 1)).map { $0 }.value }
    }

    @Test func `flatMap follows the monad laws: associativity and identities`() async throws {
        let f: @Sendable (Int) -> Future<Int> = { Future(value: $0 + 1) }
        let g: @Sendable (Int) -> Future<Int> = { Future(value: $0 * 10) }
        let start = Future(value: 3)
        #expect(try await start.flatMap(f).flatMap(g).value == 40)
        #expect(try await start.flatMap { f($0).flatMap(g) }.value == 40)
        #expect(try await start.flatMap { Future(value: $0) }.value == 3)
        #expect(try await Future(value: 3).flatMap(f).value == f(3).value)
    }

    @Test func `a failure skips operations on values, and a value skips operations on errors`() async throws {
        let calls = Lock(0)
        let count: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
        let failed = Future<Int>(error: Bad())
        let passed = failed.map { value in
            count()
            return value
        }.flatMap { value in
            count()
            return Future(value: value)
        }.filter { _ in
            count()
            return true
        }
        await #expect(throws: Bad()) { try await passed.value }
        let good = Future(value: 1).recover { _ in
            count()
            return 2
        }.mapError { error in
            count()
            return error
        }
        #expect(try await good.value == 1)
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `an error thrown by a closure becomes the error of the new future`() async throws {
        let future = Future(value: 1)
        await #expect(throws: Bad(code: 1)) { try await future.map { _ -> Int in throw Bad(code: 1) }.value }
        await #expect(throws: Bad(code: 2)) {
            try await future.flatMap { _ -> Future<Int> in throw Bad(code: 2) }.value
        }
        await #expect(throws: Bad(code: 3)) {
            try await Future<Int>(error: Bad()).recover { _ in throw Bad(code: 3) }.value
        }
        await #expect(throws: Bad(code: 4)) { try await Future<Int>(error: Bad()).mapError { _ in Bad(code: 4) }.value }
        await #expect(throws: FilterError()) { try await future.filter { $0 > 1 }.value }
        #expect(try await Future<Int>(error: Bad()).flatMapError { _ in Future(value: 5) }.value == 5)
    }

    @Test func `only the first completion counts`() async throws {
        let promise = Promise<Int>()
        promise.succeed(1)
        promise.succeed(2)
        promise.fail(Bad())
        promise.future.cancel()
        #expect(try await promise.future.value == 1)
    }

    @Test func `releasing a promise fails its future`() async throws {
        let future = Promise<Int>().future
        await #expect(throws: HTTPError.cancelled) { try await future.value }
    }

    @Test(.defects("BN15"))
    func `handlers are called once, in the order they were added, before and after completion`() async throws {
        let promise = Promise<Int>()
        let order = Lock([Int]())
        for index in 0..<50 { promise.future.onSuccess { _ in order.withLock { $0.append(index) } } }
        promise.succeed(1)
        for index in 50..<100 { promise.future.onComplete { _ in order.withLock { $0.append(index) } } }
        await withCheckedContinuation { continuation in
            promise.future.onSuccess { _ in continuation.resume() }
        }
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test func `a handler that is added while the future completes follows the earlier ones`() async throws {
        let promise = Promise<Int>()
        let (queue, order) = (DispatchQueue(label: "handlers"), Lock([String]()))
        let mapped = promise.future.map { [future = promise.future] _ in
            future.onSuccess(on: queue) { _ in order.withLock { $0.append("late") } }
        }
        promise.future.onSuccess(on: queue) { _ in order.withLock { $0.append("early") } }
        promise.succeed(1)
        _ = try await mapped.value
        await withCheckedContinuation { continuation in
            promise.future.onSuccess(on: queue) { _ in continuation.resume() }
        }
        #expect(order.withLock { $0 } == ["early", "late"])
    }

    @Test func `a future that is cancelled while it goes on to another one cancels that`() throws {
        for _ in 0..<2000 {
            let (first, second, hasGoneOn) = (Promise<Int>(), Promise<Int>(), Lock(false))
            let future = first.future.flatMap { _ in
                hasGoneOn.withLock { $0 = true }
                return second.future
            }
            DispatchQueue.concurrentPerform(iterations: 2) { $0 == 0 ? first.succeed(1) : future.cancel() }
            guard hasGoneOn.withLock({ $0 }) else { continue }
            #expect(throws: HTTPError.cancelled) { try second.future.result?.get() }
        }
    }

    @Test func `a hundred thousand maps complete or cancel without overflowing the stack`() async throws {
        let promise = Promise<Int>()
        var future = promise.future
        for _ in 0..<100_000 { future = future.map { $0 + 1 } }
        promise.succeed(0)
        #expect(try await future.value == 100_000)

        let other = Promise<Int>()
        let isCancelled = Lock(false)
        other.onCancel { isCancelled.withLock { $0 = true } }
        var last = other.future
        for _ in 0..<100_000 { last = last.map { $0 } }
        last.cancel()
        #expect(isCancelled.withLock { $0 })
        await #expect(throws: HTTPError.cancelled) { try await other.future.value }
    }

    @Test func `a completed chain of futures is released`() async throws {
        weak var first: Future<Int>?
        weak var last: Future<Int>?
        do {
            let promise = Promise<Int>()
            first = promise.future
            let mapped = promise.future.map { $0 }.flatMap { Future(value: $0) }.recover { _ in 0 }
            last = mapped
            promise.succeed(1)
            #expect(try await mapped.value == 1)
        }
        try await eventually("they are let go") { first == nil && last == nil }

        do {
            let promise = Promise<Int>()
            first = promise.future
            last = promise.future.map { $0 }
        }
        try await eventually("they are let go") { first == nil && last == nil }
    }

    /// About 50 000 operations; a million with `HALYARD_STRESS=20`, which CI sets under thread sanitizer.
    @Test(.defects("BN18")) func `each outcome is delivered once even if many threads use a future`() async throws {
        let scale = ProcessInfo.processInfo.environment["HALYARD_STRESS"].flatMap { Int($0) } ?? 1
        let count = 100 * scale
        let outcomes = Lock([Int](repeating: 0, count: count))
        await withTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    let promise = Promise<Int>()
                    let future = (0..<100).reduce(promise.future) { future, _ in future.map { $0 + 1 } }
                    await withTaskGroup { race in
                        for _ in 0..<100 {
                            race.addTask { _ = promise.future.map { $0 } }
                            race.addTask { promise.succeed(1) }
                            race.addTask { promise.fail(Bad()) }
                            if index % 2 == 0 { race.addTask { future.cancel() } }
                        }
                    }
                    _ = try? await future.value
                    outcomes.withLock { $0[index] += 1 }
                }
            }
        }
        #expect(outcomes.withLock { $0 } == [Int](repeating: 1, count: count))
    }
}
