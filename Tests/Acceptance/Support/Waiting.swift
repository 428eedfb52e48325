import Dispatch
import HalyardHTTP
import Testing

/// Waits, without sleeping, for something that another thread brings about.
func eventually(_ what: Comment, _ isSo: () throws -> Bool) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(100)
    while try !isSo() {
        try #require(clock.now < end, what)
        await Task.yield()
    }
}

/// Waits until a count has begun and then stands still, and gives it.
///
/// Whoever is held back stands still at once; whoever is not has come to the end of it by then.
func settled(_ count: () -> Int) async throws -> Int {
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
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// What happened, in order, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let list = Lock<[Entry]>([])
    var entries: [Entry] { list.withLock { $0 } }
    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
}

/// The error with which something fails; nil when it does not, or with another type's.
func failure(_ action: () async throws -> Void) async -> HTTPError? {
    do {
        try await action()
        return nil
    } catch { return error as? HTTPError }
}

extension Array where Element: Sendable {
    /// The elements as a stream has them: one after another.
    var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
