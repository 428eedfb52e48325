import Foundation
import HalyardTesting
import Testing

/// The clock of tests.
@Suite(.timeLimit(.minutes(3)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func `advancing the clock waits for the tasks it wakes and no others`() async throws {
        let deadline = Task { [clock] in try await clock.sleep(for: .seconds(60)) }
        try await clock.waitForSleepers()
        let delays = (0..<2).map { _ in Task { [clock] in try await clock.sleep(for: .seconds(5)) } }
        try await clock.advance(by: .seconds(5), waking: 2)
        for delay in delays { try await delay.value }
        #expect(clock.sleeperCount == 1)
        try await clock.advance(by: .seconds(55), waking: 1)
        try await deadline.value
    }

    @Test func `the error for a wait that takes too long lists the times`() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(60)) }
        try await clock.waitForSleepers()
        let late = await #expect(throws: TestingError.self) {
            try await clock.advance(by: .seconds(5), waking: 1, within: .milliseconds(20))
        }
        #expect(
            late?.description
                == "After 0.02 seconds, 0 of 1 tasks sleep on the clock for at most 5.0 seconds. Times of all that sleep: "
                + "60.0 seconds.")
        let few = await #expect(throws: TestingError.self) {
            try await clock.waitForSleepers(2, within: .milliseconds(20))
        }
        #expect(
            few?.description
                == "After 0.02 seconds, 1 of 2 tasks sleep on the clock. Times of all that sleep: 60.0 seconds.")
        sleeper.cancel()
    }

    @Test func `another advance can wake the expected task`() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(60)) }
        try await clock.waitForSleepers()
        let waiting = Task { [clock] in try await clock.advance(by: .seconds(10), waking: 1) }
        clock.advance(by: .seconds(50))
        try await waiting.value
        try await sleeper.value
    }

    @Test func `canceling the task ends a wait for sleepers`() async {
        let waiting = Task { try await clock.waitForSleepers() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `waiting for sleepers that never arrive fails with an error that counts them`() async throws {
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        let error = await #expect(throws: TestingError.self) {
            try await clock.waitForSleepers(2, within: .milliseconds(10))
        }
        let start = "After 0.01 seconds, 1 of 2 tasks sleep on the clock."
        #expect(error?.description == start + " Times of all that sleep: 1.0 seconds.")
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }
}
