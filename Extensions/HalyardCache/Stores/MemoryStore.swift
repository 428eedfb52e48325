import HalyardHTTP

/// Responses in memory, up to a number of bytes.
final class MemoryStore: CacheStore {
    private struct Record: Sendable {
        var responses: [StoredResponse] = []
        var cost = 0
        var lastUse: UInt64 = 0
    }

    private struct State: Sendable {
        var records: [CacheKey: Record] = [:]
        /// The keys of each URL, one for each kind of credentials.
        var keys: [String: Set<CacheKey>] = [:]
        var cost = 0
        var uses: UInt64 = 0

        mutating func remove(_ key: CacheKey) {
            cost -= records.removeValue(forKey: key)?.cost ?? 0
            keys[key.url]?.remove(key)
            if keys[key.url]?.isEmpty == true { keys[key.url] = nil }
        }

        /// Removes the records that were used longest ago. A tenth more than necessary is removed, so that the next
        /// responses find room.
        mutating func shrink(to limit: Int) {
            guard cost > limit else { return }
            for (key, _) in records.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                remove(key)
                if cost <= limit / 10 * 9 { return }
            }
        }
    }

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) { self.limit = max(0, limit) }

    var byteCount: Int { state.withLock { $0.cost } }
    var error: HTTPError? { nil }

    func flush() async {}

    func responses(for key: CacheKey) -> [StoredResponse] {
        state.withLock { state in
            guard let index = state.records.index(forKey: key) else { return [] }
            state.uses += 1
            state.records.values[index].lastUse = state.uses
            return state.records.values[index].responses
        }
    }

    func store(_ response: StoredResponse, for key: CacheKey) {
        guard response.cost <= limit / 4 else { return }
        state.withLock { state in
            var record = state.records[key] ?? Record()
            state.cost -= record.cost
            record.responses.put(response)
            record.cost = record.responses.reduce(0) { $0 + $1.cost }
            state.uses += 1
            record.lastUse = state.uses
            state.cost += record.cost
            state.records[key] = record
            state.keys[key.url, default: []].insert(key)
            state.shrink(to: limit)
        }
    }

    func invalidate(url: String) { remove(url: url) }

    func remove(url: String) {
        state.withLock { state in
            for key in state.keys[url] ?? [] { state.remove(key) }
        }
    }

    func removeAll() { state.withLock { $0 = State() } }
}

/// Where a cache keeps its responses. All members may be called from any thread, and none throws: a response that
/// cannot be read is not there.
protocol CacheStore: Sendable {
    /// The responses of a key, the latest first.
    func responses(for key: CacheKey) async -> [StoredResponse]

    /// Stores a response in place of those with the same values of the fields that vary, and the same range.
    func store(_ response: StoredResponse, for key: CacheKey) async

    /// Removes all responses of a URL, as ``remove(url:)`` does, without blocking the thread.
    func invalidate(url: String) async

    /// Removes all responses of a URL.
    func remove(url: String)

    func removeAll()

    var byteCount: Int { get }

    /// The error of the last write. `nil` if it succeeded, or if nothing is written.
    var error: HTTPError? { get }

    /// Waits until all responses are written.
    func flush() async
}

extension [StoredResponse] {
    /// The number of responses to one URL that are kept: the latest.
    private static let limit = 16

    /// Puts a response in the place of those that it replaces.
    mutating func put(_ response: StoredResponse) {
        removeAll { $0.varying == response.varying && ($0.range == response.range || response.range == nil) }
        insert(response, at: 0)
        if count > Self.limit { removeLast(count - Self.limit) }
    }
}
