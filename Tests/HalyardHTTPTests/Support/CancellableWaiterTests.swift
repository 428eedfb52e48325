import HalyardHTTP
import TestSupport
import Testing

/// Waits that a result or a cancellation ends.
@Suite(.timeLimit(.minutes(3)))
struct CancellableWaiterTests {
    @Test func `a result ends the wait, even if it arrives first`() async throws {
        let early = CancellableWaiter<Int>()
        #expect(early.end(with: .success(1)))
        #expect(try await early.value() == 1)
        let late = CancellableWaiter<Int>()
        let task = Task { try await late.value() }
        #expect(late.end(with: .failure(Expected())))
        await #expect(throws: Expected.self) { try await task.value }
    }

    @Test func `a cancellation runs its handler and then ends the wait`() async {
        let (waiter, removed) = (CancellableWaiter<Int>(), Counter())
        let task = Task { try await waiter.value { removed.increment() } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(removed.count == 1)
        #expect(!waiter.end(with: .success(1)))
    }

    @Test func `a task canceled before the wait does not wait`() async {
        let (waiter, removed) = (CancellableWaiter<Int>(), Counter())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await waiter.value { removed.increment() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(removed.count == 1)
    }

    @Test func `only one of a simultaneous result and cancellation counts`() async {
        for _ in 0..<1000 {
            let waiter = CancellableWaiter<Int>()
            let task = Task { try await waiter.value() }
            async let cancelled: Void = task.cancel()
            let isFirst = waiter.end(with: .success(1))
            await cancelled
            let value = try? await task.value
            #expect(value == (isFirst ? 1 : nil))
        }
    }

    private struct Expected: Error {}
}
