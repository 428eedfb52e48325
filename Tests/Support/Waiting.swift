import Dispatch
import HalyardHTTP

/// A condition has not become true in time.
struct NotSo: Error, CustomStringConvertible { let description: String }

/// Waits until another thread has made a condition true.
///
/// The condition is evaluated after each entry in a ``Log``, after each step of a ``Counter``, and every few
/// milliseconds. The latter is for changes without a notification: a file, a server's record, or an engine's state.
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - limit: The maximum time to wait. Defaults to 100 seconds.
///   - isSo: The condition.
/// - Throws: An error if the condition has not become true in time, or the error of the condition.
package func eventually(
    _ what: String, within limit: Duration = .seconds(100), _ isSo: () throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try !isSo() {
        guard clock.now < end else { throw NotSo(description: "not so within \(limit): \(what)") }
        await Changes.next()
    }
}

/// Waits until a condition is true on the main actor. See ``eventually(_:within:_:)``.
package func eventually(
    _ what: String, within limit: Duration = .seconds(100), onMain isSo: @MainActor () -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while await !isSo() {
        guard clock.now < end else { throw NotSo(description: "not so within \(limit): \(what)") }
        await Changes.next()
    }
}

/// The changes of everything that tests record, from any thread.
enum Changes {
    fileprivate struct State: Sendable {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isTicking = false
        var lastWake = ContinuousClock.now
    }

    private static let state = Lock(State())
    /// The time after which a condition is evaluated again although nothing was recorded.
    private static let interval = DispatchTimeInterval.milliseconds(5)
    /// The minimum time between two changes that wake all tasks. Further changes wait for the interval.
    private static let pause = Duration.milliseconds(1)

    /// Wakes every task that waits for a change.
    static func announce() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.waiting.isEmpty, ContinuousClock.now - state.lastWake > pause else { return [] }
            return state.takeAll()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the next change, or for some milliseconds.
    static func next() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isTicking = true }
                return !state.isTicking
            }
            if isFirst { scheduleTick() }
        }
    }

    private static func scheduleTick() {
        DispatchQueue.global().asyncAfter(deadline: .now() + interval) {
            let waiting = state.withLock { state in
                state.isTicking = !state.waiting.isEmpty
                return state.takeAll()
            }
            for continuation in waiting { continuation.resume() }
            if !waiting.isEmpty { scheduleTick() }
        }
    }
}

extension Changes.State {
    fileprivate mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { (waiting, lastWake) = ([], .now) }
        return waiting
    }
}

/// Waits until a count is above zero and has not changed for 300 milliseconds, and returns it.
package func settled(_ count: () -> Int) async throws -> Int {
    let clock = ContinuousClock()
    var (last, since) = (0, clock.now)
    try await eventually("the count does not change") {
        let now = count()
        if now != last || now == 0 { (last, since) = (now, clock.now) }
        return clock.now - since > .milliseconds(300)
    }
    return last
}

/// Blocks threads until it is opened. It is for threads that may block, such as a server's, and not for tasks.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}
    package func open() { semaphore.signal() }
    package func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
