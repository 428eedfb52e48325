import HalyardHTTP

/// Time that passes when a test says so.
package final class HandClock: Clock {
    package typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var now = ContinuousClock.now
        var sleepers: [Int: (until: Instant, waiter: CancellableWaiter<Void>)] = [:]
        var count = 0
    }

    private let state = Lock(State())

    package init() {}
    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }

    /// How many sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let waiter = CancellableWaiter<Void>()
        let id = state.withLock { state -> Int? in
            guard state.now < deadline else { return nil }
            state.count += 1
            state.sleepers[state.count] = (deadline, waiter)
            return state.count
        }
        if let id { try await waiter.value { state.withLock { $0.sleepers[id] = nil } } }
        try Task.checkCancellation()
    }

    /// Lets time pass; whose time has come wakes up.
    package func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.now += duration
            let awake = state.sleepers.filter { $0.value.until <= state.now }
            for id in awake.keys { state.sleepers[id] = nil }
            return awake
        }
        for sleeper in awake.values { sleeper.waiter.end(with: .success(())) }
    }
}
