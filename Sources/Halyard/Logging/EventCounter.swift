import HalyardHTTP

/// Counts the events of requests, for a program's metrics and for tests.
///
/// ```swift
/// let counter = EventCounter()
/// let client = HTTPClient(log: .combined(.console, .counting(counter)))
/// // …
/// let counts = counter.counts
/// print(counts[.response], counts.statuses[503] ?? 0, counts[.retried], counts[.cached], counts.failures)
/// ```
///
/// Several clients can share a counter.
public final class EventCounter: Sendable {
    private let state = Lock(EventCounts())

    /// Creates a counter.
    public init() {}

    /// The counts since the counter was created or last ``reset()``.
    public var counts: EventCounts { state.withLock { $0 } }

    /// Sets all counts to zero and returns the previous counts. No event is lost in between.
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

/// The counts of an ``EventCounter``.
public struct EventCounts: Sendable, Equatable {
    private var events: [LogEvent.Kind: Int] = [:]
    /// The number of server responses, by status. A status outside 100 to 599 is counted as 0.
    public private(set) var statuses: [Int: Int] = [:]
    /// The total time between passing requests to the engine and receiving their responses.
    public private(set) var totalResponseTime = Duration.zero
    /// The number of body bytes sent, if the engine measures them. Failed transfers are not included.
    public private(set) var bytesSent: Int64 = 0
    /// The number of body bytes received, before decompression, if the engine measures them. Bodies that are read as
    /// streams and failed transfers are not included.
    public private(set) var bytesReceived: Int64 = 0
    /// The total time that requests have queued for their client's `requestsInFlight` and for limits of HalyardLimits,
    /// whether or not they were sent afterwards.
    public private(set) var totalWaitingTime = Duration.zero
    /// The number of failures that were cancellations.
    public private(set) var cancellations = 0
    /// The number of failures of kind ``HTTPError/Kind/timedOut``.
    public private(set) var timeouts = 0
    /// The number of failures because a limit of the client refused the request. See ``HTTPError/Kind/isRefusal``.
    public private(set) var refusals = 0
    /// The number of times that a circuit has opened.
    public private(set) var openedCircuits = 0

    /// All counts are zero.
    init() {}

    /// The number of events of a kind: `counts[.retried]`.
    public subscript(kind: LogEvent.Kind) -> Int { events[kind] ?? 0 }

    /// The number of requests that failed, for any reason, plus responses that could not be converted.
    public var failures: Int { self[.failed] }

    mutating func add(_ event: LogEvent) {
        events[event.kind, default: 0] += 1
        switch event.kind {
        case .response:
            let status = event.response?.status ?? 0
            statuses[(100..<600).contains(status) ? status : 0, default: 0] += 1
            totalResponseTime += event.duration ?? .zero
        case .metrics:
            bytesSent &+= event.metrics?.bytesSent ?? 0
            bytesReceived &+= event.metrics?.bytesReceived ?? 0
        case .delayed: totalWaitingTime += event.delay ?? .zero
        case .circuit: openedCircuits += event.delay == nil ? 0 : 1
        case .failed: add(failure: event.error)
        default: break
        }
    }

    private mutating func add(failure error: (any Error)?) {
        if error is CancellationError || error == HTTPError.cancelled { cancellations += 1 }
        if error == HTTPError.timedOut { timeouts += 1 }
        if (error as? HTTPError)?.kind.isRefusal == true { refusals += 1 }
    }
}
