import Dispatch
import HalyardHTTP

/// A condition has not become true in time.
struct NotSo: Error, CustomStringConvertible { let description: String }

/// Waits until a condition is true that another thread brings about.
///
/// The condition is evaluated again after each entry in a ``Log`` and each step of a ``Counter``, and every few
/// milliseconds, for what announces nothing: a file, a server's record, a state of an engine.
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - limit: The maximum time to wait. Defaults to 100 seconds.
///   - isSo: The condition.
/// - Throws: An error if the condition has not become true in time; what the condition throws.
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

/// The changes of everything that tests record, from any thread.
enum Changes {
    private struct Waiters: Sendable {
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private static let waiters = Lock(Waiters())
    /// The time after which a condition is evaluated again although nothing was recorded.
    private static let interval = DispatchTimeInterval.milliseconds(5)

    /// Wakes every task that waits for a change.
    static func announce() {
        let waiting = waiters.withLock { waiters in
            defer { waiters.waiting = [:] }
            return waiters.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits for the next change, or for some milliseconds.
    static func next() async {
        await withCheckedContinuation { continuation in
            let id = waiters.withLock { waiters in
                waiters.lastID += 1
                waiters.waiting[waiters.lastID] = continuation
                return waiters.lastID
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + interval) {
                waiters.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
            }
        }
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

/// Holds threads back until it is opened. For threads that may block: a server's, never a task's.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}
    package func open() { semaphore.signal() }
    package func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
