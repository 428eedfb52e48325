/// A clock without waiting: each sleep returns at once, and its duration is recorded.
package struct ImpatientClock: Clock {
    package typealias Instant = ContinuousClock.Instant

    package let waits = Log<Duration>()

    package init() {}
    package var now: Instant { .now }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        waits.add(Instant.now.duration(to: deadline))
        try Task.checkCancellation()
    }
}
