import HalyardSystem

/// A point in monotonic time, in nanoseconds: one word, and one cheap call to read.
struct Instant: Comparable {
    let nanoseconds: Int64

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant a duration later. One too far away to write down is `nil`: as good as never.
    func advanced(by duration: Duration) -> Instant? {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1 << 32 else { return nil }
        guard seconds >= 0 else { return self }
        return Instant(nanoseconds: nanoseconds + max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    func advanced(milliseconds: Int) -> Instant {
        Instant(nanoseconds: nanoseconds + Int64(min(milliseconds, 1 << 40)) * 1_000_000)
    }

    /// How long to wait for it, in milliseconds, rounded up; a minute at most.
    func wait(now: Instant) -> Int32 {
        Int32(max(0, min(60_000, (nanoseconds - now.nanoseconds + 999_999) / 1_000_000)))
    }
}

/// When some transfer's time may be over.
///
/// It knows the earliest instant only. When that comes all transfers are asked, and most of the time the one that set
/// it has long moved on: nothing is registered and nothing cancelled per request.
struct Timetable {
    private(set) var earliest: Instant?

    mutating func note(_ instant: Instant?) {
        guard let instant else { return }
        earliest = earliest.map { min($0, instant) } ?? instant
    }

    func isDue(_ now: Instant) -> Bool { earliest.map { $0 <= now } ?? false }
}
