import HalyardHTTP

/// Counts, from any thread.
final class Counter: Sendable {
    private let value = Lock(0)
    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}
