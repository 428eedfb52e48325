package import HalyardHTTP

/// What happened, in order, from any thread.
package final class Log<Entry: Sendable>: Sendable {
    private let list = Lock<[Entry]>([])

    package init() {}
    package var entries: [Entry] { list.withLock { $0 } }
    package func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
}

/// Counts, from any thread.
package final class Counter: Sendable {
    private let value = Lock(0)

    package init() {}
    package var count: Int { value.withLock { $0 } }
    package func increment() { value.withLock { $0 += 1 } }
}

/// The error with which something fails; nil when it does not, or with another type's.
package func failure(_ action: () async throws -> Void) async -> HTTPError? {
    do {
        try await action()
        return nil
    } catch { return error as? HTTPError }
}
