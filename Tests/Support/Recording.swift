package import HalyardHTTP

/// A list of events, in order. Any thread may add to it.
package final class Log<Entry: Sendable>: Sendable {
    private let list = Lock<[Entry]>([])

    package init() {}
    package var entries: [Entry] { list.withLock { $0 } }
    package func add(_ entry: Entry) {
        list.withLock { $0.append(entry) }
        Changes.announce()
    }
}

/// A counter. Any thread may increment it.
package final class Counter: Sendable {
    private let value = Lock(0)

    package init() {}
    package var count: Int { value.withLock { $0 } }
    package func increment() {
        value.withLock { $0 += 1 }
        Changes.announce()
    }
}

/// Returns the `HTTPError` that an action throws; `nil` if it throws none, or another error.
package func failure(_ action: () async throws -> Void) async -> HTTPError? {
    do {
        try await action()
        return nil
    } catch { return error as? HTTPError }
}
