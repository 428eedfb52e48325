import HalyardHTTP
import HalyardSystem

/// A point in monotonic time, in nanoseconds.
///
/// It occupies one machine word, and reading the clock is one cheap system call. The standard library's
/// `ContinuousClock.Instant` is larger and slower, and the event loop reads the time in every iteration.
struct MonotonicInstant: Comparable {
    let nanoseconds: Int64

    /// A time that never comes.
    static let distantFuture = MonotonicInstant(nanoseconds: .max)

    /// The current time.
    static var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the instant that is a duration later. `nil` for a duration of 2^32 seconds or more, which counts as no
    /// limit.
    func advanced(by duration: Duration) -> MonotonicInstant? {
        guard duration < .seconds(1 << 32) else { return nil }
        return MonotonicInstant(nanoseconds: nanoseconds + max(0, duration.nanoseconds))
    }

    /// Returns the instant that is some milliseconds later.
    func advanced(milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds + Int64(min(milliseconds, 1 << 40)) * 1_000_000)
    }

    /// Returns the time from `now` until this instant, in milliseconds: rounded up, from 0 to 60 000.
    func wait(now: MonotonicInstant) -> Int32 {
        Int32(max(0, min(60_000, (nanoseconds - now.nanoseconds + 999_999) / 1_000_000)))
    }
}

/// The earliest of several deadlines.
///
/// It stores that one instant only. When the instant is reached, the event loop asks every transfer for its deadline.
/// By then the transfer that set it has usually ended. No timer is registered or cancelled per request.
struct EarliestDeadline {
    private(set) var instant: MonotonicInstant?

    /// Takes another deadline into account; `nil` changes nothing.
    mutating func include(_ other: MonotonicInstant?) {
        guard let other else { return }
        instant = instant.map { min($0, other) } ?? other
    }

    /// Whether the earliest deadline has been reached.
    func isDue(_ now: MonotonicInstant) -> Bool { instant.map { $0 <= now } ?? false }
}
