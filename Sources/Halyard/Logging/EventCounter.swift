import HalyardHTTP

/// Counts the events of requests, for the metrics of a program and for tests.
///
/// ```swift
/// let counter = EventCounter()
/// let client = HTTPClient(log: .combined(.console, .counting(counter)))
/// // …
/// let counts = counter.counts
/// print(counts[.response], counts.statuses[503] ?? 0, counts[.retried], counts[.cached], counts.failures)
/// ```
///
/// Several clients may share a counter.
public final class EventCounter: Sendable {
    private let state = Lock(EventCounts())

    /// Makes a counter.
    public init() {}

    /// The counts since the counter was made, or since the last ``reset()``.
    public var counts: EventCounts { state.withLock { $0 } }

    /// Sets all counts to zero.
    ///
    /// - Returns: The counts before. No event is lost between the two.
    @discardableResult
    public func reset() -> EventCounts {
        state.withLock { counts in
            defer { counts = EventCounts() }
            return counts
        }
    }

    fileprivate func count(_ event: LogEvent) { state.withLock { $0.add(event) } }
}

extension EventLog {
    /// Returns a log that counts the events.
    public static func counting(_ counter: EventCounter) -> EventLog { .custom { counter.count($0) } }
}
