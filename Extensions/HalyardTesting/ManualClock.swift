import HalyardHTTP

/// A clock whose time passes only when a test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let stub = StubTransport(clock: clock).on(.get, "/report", .json(report).delayed(by: .seconds(30)))
/// async let answer = api.request(.report).data()
/// try await clock.waitForSleepers()
/// clock.advance(by: .seconds(30))
/// ```
///
/// It also serves as the clock of an `HTTPClient`, for delays before retries and for deadlines.
public final class ManualClock: Clock {
    /// A point in the clock's time.
    public typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var now = ContinuousClock.now
        var sleepers: [Int: (until: Instant, waiter: CancellableWaiter<Void>)] = [:]
        var lastID = 0
        /// Ended when the number of sleepers reaches their count.
        var observers: [(count: Int, waiter: CancellableWaiter<Void>)] = []

        /// Removes the observers whose number of sleepers is reached.
        mutating func reachedObservers() -> [CancellableWaiter<Void>] {
            let count = sleepers.count
            defer { observers.removeAll { $0.count <= count } }
            return observers.filter { $0.count <= count }.map(\.waiter)
        }
    }

    private let state = Lock(State())

    /// Makes a clock that starts at the current time.
    public init() {}

    /// The clock's time.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Sleeps until the time is advanced to an instant.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: It is ignored.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let waiter = CancellableWaiter<Void>()
        let (id, observers) = state.withLock { state -> (Int?, [CancellableWaiter<Void>]) in
            guard state.now < deadline else { return (nil, []) }
            state.lastID += 1
            state.sleepers[state.lastID] = (deadline, waiter)
            return (state.lastID, state.reachedObservers())
        }
        for observer in observers { observer.end(with: .success(())) }
        if let id { try await waiter.value { state.withLock { $0.sleepers[id] = nil } } }
        try Task.checkCancellation()
    }

    /// Advances the time, and wakes the tasks that sleep until then or an earlier time.
    ///
    /// - Parameter duration: The duration.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.now += duration
            let awake = state.sleepers.filter { $0.value.until <= state.now }
            for id in awake.keys { state.sleepers[id] = nil }
            return awake
        }
        for sleeper in awake.values { sleeper.waiter.end(with: .success(())) }
    }

    /// Waits until a number of tasks sleep.
    ///
    /// - Parameters:
    ///   - count: The number. Defaults to 1.
    ///   - limit: The longest time to wait, on the system's clock. Defaults to 10 seconds.
    /// - Throws: ``WaitTimeout`` after the limit, with the number of tasks that sleep.
    ///   `CancellationError`, for example at the time limit of the test.
    public func waitForSleepers(_ count: Int = 1, within limit: Duration = .seconds(10)) async throws {
        let waiter = CancellableWaiter<Void>()
        let isReached = state.withLock { state in
            guard state.sleepers.count < count else { return true }
            state.observers.append((count, waiter))
            return false
        }
        if isReached { return }
        try await waiter.value(within: limit) { [state] in
            let sleepers = state.withLock { $0.sleepers.count }
            return "After \(limit), \(sleepers) of \(count) tasks sleep on the clock."
        }
    }
}
