package import HalyardFoundation

/// Time and random numbers for the pipeline. A test passes its own.
package struct PipelineTime: Sendable {
    /// Returns the time since a fixed moment. It is the same moment for all clocks with the instants of
    /// `ContinuousClock`, so that policies may be shared by clients.
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Returns the time of day. With a clock other than the system's, it passes as that clock says.
    package let date: @Sendable () -> Date
    /// Returns a random number from 0 up to, but not including, 1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    private static let zero = ContinuousClock.now

    /// Takes the time of a clock.
    ///
    /// - Parameter startDate: The time of day at the start of a clock other than the system's. Defaults to the present.
    package init<Time: Clock<Duration>>(_ clock: Time, startDate: Date = Date()) {
        let start = clock.now
        let zero = Self.zero as? Time.Instant ?? start
        now = { zero.duration(to: clock.now) }
        if clock is ContinuousClock || clock is SuspendingClock {
            date = { Date() }
        } else {
            date = { startDate + start.duration(to: clock.now) / .seconds(1) }
        }
        sleep = { try await clock.sleep(for: $0) }
    }
}
