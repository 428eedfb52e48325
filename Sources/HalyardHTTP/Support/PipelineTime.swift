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

    /// Takes the time of a clock. `startDate` is the time of day at the start of a clock other than the system's.
    /// Defaults to the present.
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

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The duration in whole nanoseconds, at most 2^33 seconds in either direction.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = 1 << 33
        return min(limit, max(-limit, seconds)) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

extension UUID {
    /// Makes a random UUID (version 4, RFC 9562 section 5.4).
    ///
    /// `UUID()` may need a descriptor for the system's random bytes. On Linux it is all zeros, and not unique, while
    /// the process has no free descriptor. The standard library's generator needs none.
    package static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) { random in
            var bytes = random.loadUnaligned(as: uuid_t.self)
            bytes.6 = bytes.6 & 0x0F | 0x40
            bytes.8 = bytes.8 & 0x3F | 0x80
            return UUID(uuid: bytes)
        }
    }
}
