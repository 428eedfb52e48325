import Dispatch

/// What was waited for did not come.
struct NotSo: Error, CustomStringConvertible { let description: String }

/// Waits, without sleeping, for something that another thread brings about.
package func eventually(
    _ what: String, within limit: Duration = .seconds(100), _ isSo: () throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try !isSo() {
        guard clock.now < end else { throw NotSo(description: "not so within \(limit): \(what)") }
        await Task.yield()
    }
}

/// Waits until a count has begun and then stands still, and gives it.
///
/// Whoever is held back stands still at once; whoever is not has come to the end of it by then.
package func settled(_ count: () -> Int) async throws -> Int {
    let clock = ContinuousClock()
    var (last, since) = (0, clock.now)
    try await eventually("it stands still") {
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
