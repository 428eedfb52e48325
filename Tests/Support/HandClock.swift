import HalyardHTTP

/// Time that passes when a test says so.
package final class HandClock: Clock {
    package typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var now = ContinuousClock.now
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var count = 0
    }

    private let state = Lock(State())

    package init() {}
    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }

    /// How many sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAwake = state.withLock { state in
                    let isAwake = Task.isCancelled || state.now >= deadline
                    if !isAwake { state.sleepers[id] = (deadline, continuation) }
                    return isAwake
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
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
        for sleeper in awake.values { sleeper.continuation.resume() }
    }
}
