/// Nobody sleeps by it: who would is on at once, and for how long it would have been is noted.
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
