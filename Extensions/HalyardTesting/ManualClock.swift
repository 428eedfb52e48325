import HalyardHTTP
import HalyardSystem

/// A clock whose time advances only when a test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let stub = StubTransport(clock: clock).on(.get, "/report", .json(report).delayed(by: .seconds(30)))
/// async let answer = api.request(.report).data()
/// try await clock.advance(by: .seconds(30), waking: 1)
/// ```
///
/// It can also be the clock of an `HTTPClient`, for delays before retries and for deadlines.
public final class ManualClock: Clock {
    /// A point in the clock's time.
    public typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var now = ContinuousClock.now
        var sleepers: [Int: (until: Instant, waiter: CancellableWaiter<Void>)] = [:]
        var lastID = 0
        /// Ended when their number of tasks sleeps: of all, or of those that wake within a time.
        var observers: [(count: Int, horizon: Duration?, waiter: CancellableWaiter<Void>)] = []

        func sleeperCount(within horizon: Duration?) -> Int {
            sleepers.values.count { sleeper in horizon.map { sleeper.until - now <= $0 } ?? true }
        }

        /// Removes the observers whose number of sleepers is reached.
        mutating func reachedObservers() -> [CancellableWaiter<Void>] {
            let state = self
            let reached = observers.filter { state.sleeperCount(within: $0.horizon) >= $0.count }
            observers.removeAll { state.sleeperCount(within: $0.horizon) >= $0.count }
            return reached.map(\.waiter)
        }
    }

    private let state = Lock(State())

    /// Creates a clock that starts at the current time.
    public init() {}

    /// The clock's time.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that are sleeping.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The number of tasks that wake within a time.
    package func sleeperCount(within horizon: Duration) -> Int { state.withLock { $0.sleeperCount(within: horizon) } }

    /// Sleeps until the time is advanced to an instant.
    ///
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

    /// Advances the time and wakes the tasks that sleep until then or earlier.
    ///
    /// A task that starts sleeping later sleeps from then on. ``advance(by:waking:within:)`` waits for the tasks first.
    public func advance(by duration: Duration) {
        let (awake, observers) = state.withLock { state in
            state.now += duration
            let awake = state.sleepers.filter { $0.value.until <= state.now }
            for id in awake.keys { state.sleepers[id] = nil }
            return (awake, state.reachedObservers())
        }
        for sleeper in awake.values { sleeper.waiter.end(with: .success(())) }
        for observer in observers { observer.end(with: .success(())) }
    }

    /// Waits until a number of tasks are asleep that the advance wakes, and then advances the time.
    ///
    /// Tasks that sleep longer, such as those for the deadline of a request, do not count.
    ///
    /// ```swift
    /// try await clock.advance(by: .seconds(5), waking: 1)  // the delay of a retry
    /// ```
    ///
    /// - Parameter limit: The longest time to wait, on the system's clock. Defaults to 10 seconds.
    /// - Throws: ``TestingError`` after the limit, with the times for which tasks sleep. `CancellationError`, for
    ///   example when the test times out.
    public func advance(by duration: Duration, waking count: Int, within limit: Duration = .seconds(10)) async throws {
        try await wait(for: count, sleepingAtMost: duration, within: limit)
        advance(by: duration)
    }

    /// Waits until a number of tasks are asleep.
    ///
    /// - Parameter limit: The longest time to wait, on the system's clock. Defaults to 10 seconds.
    /// - Throws: ``TestingError`` after the limit, with the times for which tasks sleep. `CancellationError`, for
    ///   example when the test times out.
    public func waitForSleepers(_ count: Int = 1, within limit: Duration = .seconds(10)) async throws {
        try await wait(for: count, sleepingAtMost: nil, within: limit)
    }

    private func wait(for count: Int, sleepingAtMost horizon: Duration?, within limit: Duration) async throws {
        let waiter = CancellableWaiter<Void>()
        let isReached = state.withLock { state in
            guard state.sleeperCount(within: horizon) < count else { return true }
            state.observers.append((count, horizon, waiter))
            return false
        }
        if isReached { return }
        try await waiter.value(within: limit) { [state] in
            let (found, times) = state.withLock { state in
                (state.sleeperCount(within: horizon), state.sleepers.values.map { $0.until - state.now }.sorted())
            }
            let horizon = horizon.map { " for at most \($0)" } ?? ""
            let list = times.isEmpty ? "none" : times.map { "\($0)" }.joined(separator: ", ")
            return "After \(limit), \(found) of \(count) tasks sleep on the clock\(horizon). "
                + "Times of all that sleep: \(list)."
        }
    }
}

extension CancellableWaiter {
    /// Waits for the result, but not longer than a limit. Throws ``TestingError``, or the error of the result.
    func value(within limit: Duration, _ description: @escaping @Sendable () -> String) async throws -> Value {
        let timer = Task {
            try await Task.sleep(for: limit)
            end(with: .failure(TestingError(description())))
        }
        defer { timer.cancel() }
        return try await value()
    }
}

/// The error of a testing tool: a server that cannot start, a cassette that cannot be used, a request or a sleeping
/// task that did not arrive in time, or the problems that `StubHost.verify(order:)` has found.
///
/// It is not an `HTTPError`, so a test that expects a failed request does not pass because of it.
public struct TestingError: Error, CustomStringConvertible {
    /// The problems, each as a sentence.
    public let problems: [String]
    /// The problems, one per line.
    public var description: String { problems.joined(separator: "\n") }

    init(problems: [String]) { self.problems = problems }

    init(_ problem: String) { problems = [problem] }

    /// Makes the error of a system call that has just failed.
    package init(call: String) {
        let hint = errno == EMFILE ? " (`ulimit -n` shows the limit of open descriptors)" : ""
        self.init("The loopback server cannot start: \(call): \(String(cString: strerror(errno)))\(hint)")
    }
}
