import Dispatch
import HalyardHTTP
import TestSupport
import Testing

@testable import HalyardFutures

/// Combining several futures, timeouts, and waiting.
@Suite(.timeLimit(.minutes(3)))
struct CombinationTests {
    typealias Bad = FutureLawTests.Bad

    @Test func `zip returns two to six values in order`() async throws {
        let (one, text) = (Future(value: 1), Future(value: "a"))
        #expect(try await zip(one, text).value == (1, "a"))
        #expect(try await zip(one, text, one).value == (1, "a", 1))
        #expect(try await zip(one, text, one, text).value == (1, "a", 1, "a"))
        #expect(try await zip(one, text, one, text, one).value == (1, "a", 1, "a", 1))
        #expect(try await zip(one, text, one, text, one, text).value == (1, "a", 1, "a", 1, "a"))
        await #expect(throws: Bad()) { try await zip(one, Future<Int>(error: Bad())).value }
    }

    @Test func `all keeps the order and returns an empty array for no futures`() async throws {
        let promises = (0..<100).map { _ in Promise<Int>() }
        let all = Future.all(promises.map(\.future))
        for (index, promise) in promises.enumerated().reversed() { promise.succeed(index) }
        #expect(try await all.value == Array(0..<100))
        #expect(try await Future<Int>.all([]).value == [])
    }

    @Test func `any returns the first value or the last error`() async throws {
        let (a, b) = (Promise<Int>(), Promise<Int>())
        let any = Future.any([a.future, b.future])
        a.fail(Bad(code: 1))
        b.succeed(2)
        #expect(try await any.value == 2)
        await #expect(throws: Bad(code: 2)) {
            try await Future.any([Future<Int>(error: Bad(code: 1)), Future(error: Bad(code: 2))]).value
        }
        await #expect(throws: NoFuturesError()) { try await Future<Int>.any([]).value }
        await #expect(throws: NoFuturesError()) { try await Future<Int>.race([]).value }
    }

    @Test func `timeout fails and cancels a late future, and passes on a value that is in time`() async throws {
        let promise = Promise<Int>()
        let cancellation = OneShot<Bool>()
        promise.onCancel { cancellation.fulfill(true) }
        let error = await #expect(throws: HTTPError.timedOut) {
            try await promise.future.timeout(after: .milliseconds(1)).value
        }
        #expect(error?.recoverySuggestion == "Raise its timeout(after:), or try again later")
        #expect(await cancellation.take())
        #expect(try await Future(value: 1).timeout(after: .seconds(100)).value == 1)
    }

    @Test func `delay passes on the same outcome, but not early`() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try await Future(value: 1).delay(by: .milliseconds(30)).value == 1)
        #expect(clock.now - start >= .milliseconds(30))
        await #expect(throws: Bad()) { try await Future<Int>(error: Bad()).delay(by: .milliseconds(1)).value }
    }

    @Test func `retry tries as often as allowed and as long as an error is worth it`() async throws {
        let tries = Lock(0)
        let make: @Sendable () -> Future<Int> = {
            let count = tries.withLock { tries in
                tries += 1
                return tries
            }
            return count < 3 ? Future(error: Bad(code: count)) : Future(value: count)
        }
        #expect(try await Future.retry(attempts: 3, make).value == 3)
        tries.withLock { $0 = 0 }
        await #expect(throws: Bad(code: 2)) { try await Future.retry(attempts: 2, make).value }
        tries.withLock { $0 = 0 }
        await #expect(throws: Bad(code: 1)) { try await Future.retry(attempts: 9, while: { _ in false }, make).value }
    }

    @Test func `get blocks the thread no longer than the given time`() async throws {
        let promise = Promise<Int>()
        let outcome = Lock<[String]>([])
        let started = SystemThread.start {
            let first = Result { try promise.future.get(timeout: .milliseconds(1)) }
            if case .failure(let error) = first, error == HTTPError.timedOut { outcome.withLock { $0.append("late") } }
            promise.succeed(7)
            if (try? promise.future.get()) == 7 { outcome.withLock { $0.append("seven") } }
        }
        #expect(started)
        try await eventually("the outcome") { outcome.withLock { $0 } == ["late", "seven"] }
    }

    @Test func `handlers run on the given queue or on the main actor`() async throws {
        let queue = DispatchQueue(label: "handlers")
        await withCheckedContinuation { continuation in
            Future(value: 1).onSuccess(on: queue) { _ in
                dispatchPrecondition(condition: .onQueue(queue))
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            Future<Int>(error: Bad()).onFailure { _ in
                MainActor.assertIsolated()
                continuation.resume()
            }
        }
    }
}
