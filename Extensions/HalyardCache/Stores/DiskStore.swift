import Dispatch
import HalyardFoundation
import HalyardHTTP

/// Responses in a folder, up to a number of bytes. Several processes may use the folder.
///
/// Files are written on a queue: no response waits for that. A file that the system has in memory is read at once, any
/// other on a thread that may block. Until a file is written, its responses are in memory. A response that cannot be
/// written is not stored.
final class DiskStore: CacheStore {
    private struct Pending: Sendable {
        let responses: [StoredResponse]
        let version: UInt64
    }

    private struct State: Sendable {
        /// The responses that are not written yet.
        var pending: [CacheKey: Pending] = [:]
        var pendingCost = 0
        var lastVersion: UInt64 = 0
        /// The removals of each URL that wait for the queue. A file of such a URL may be an old one.
        var removals: [String: Int] = [:]
        var removalsOfAll = 0
        /// The number of removals so far. A file that was read before the last one may be gone.
        var removalCount = 0
        /// The size of all files as far as it is known. `nil` before they were counted.
        var byteCount: Int?
        var error: HTTPError?

        func isRemoved(_ url: String) -> Bool { removalsOfAll > 0 || removals[url] != nil }
    }

    private let folder: CacheFolder
    private let limit: Int
    private let heuristic: CacheHeuristic
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "Halyard.DiskStore")

    /// Makes a store in a folder. Throws ``HTTPError`` of kind `unwritableFile`.
    init(_ url: URL, limit: Int, _ heuristic: CacheHeuristic) throws(HTTPError) {
        folder = try CacheFolder(url)
        self.limit = max(0, limit)
        self.heuristic = heuristic
    }

    /// The error of the last write. `nil` if it succeeded.
    var error: HTTPError? { state.withLock(\.error) }

    var byteCount: Int {
        queue.sync { folder.files.byteCount }
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        let (pending, isRemoved) = state.withLock { ($0.pending[key], $0.isRemoved(key.url)) }
        if let pending { return pending.responses }
        if isRemoved { return [] }
        var file: CacheFile?
        do {
            file = try folder.read(key, limit: limit, heuristic, waits: false)
        } catch {
            // For a task that was cancelled there is no file.
            file = try? await blocking { [folder, heuristic, limit] in try folder.read(key, limit: limit, heuristic) }
        }
        return file?.url == key.url ? file?.responses ?? [] : []
    }

    func store(_ response: StoredResponse, for key: CacheKey) async {
        guard response.cost <= limit / 4 else { return }
        let removalCount = state.withLock { $0.removalCount }
        let known = await responses(for: key)
        let isAccepted = state.withLock { state in
            // A disk that is slower than the network does not fill the memory.
            guard state.pendingCost <= 32 << 20 else { return false }
            // Another response may have been stored meanwhile, or these may have been removed.
            var responses = state.pending[key]?.responses ?? (state.removalCount == removalCount ? known : [])
            responses.put(response)
            state.lastVersion += 1
            state.pendingCost -= state.pending[key]?.responses.cost ?? 0
            state.pending[key] = Pending(responses: responses, version: state.lastVersion)
            state.pendingCost += responses.cost
            return true
        }
        if isAccepted { queue.async { self.write(key) } }
    }

    /// Writes the file of a key. It runs on the queue.
    private func write(_ key: CacheKey) {
        guard let pending = state.withLock({ $0.pending[key] }) else { return }
        let outcome = Result { () throws(HTTPError) in
            try folder.write(CacheFile(url: key.url, responses: pending.responses).encoded, for: key)
        }
        let byteCount = state.withLock { state -> Int? in
            if state.pending[key]?.version == pending.version {
                state.pendingCost -= pending.responses.cost
                state.pending[key] = nil
            }
            switch outcome {
            case .success(let growth):
                state.error = nil
                state.byteCount = state.byteCount.map { $0 + growth }
            case .failure(let error): state.error = error
            }
            return state.byteCount
        }
        // Another process, or a file that was replaced, can make the known size wrong.
        if !(0...limit).contains(byteCount ?? -1) { shrink() }
    }

    /// Counts the files, of all processes, and removes those that were used longest ago. It runs on the queue.
    private func shrink() {
        let files = folder.files.sorted { $0.lastUse < $1.lastUse }
        var byteCount = files.byteCount
        if byteCount > limit {
            // A tenth more than necessary is removed, so that the files are not counted for each response.
            for file in files where byteCount > limit / 10 * 9 {
                if let error = folder.remove(file.path) {
                    state.withLock { $0.error = error }
                } else {
                    byteCount -= file.byteCount
                }
            }
        }
        state.withLock { [byteCount] in $0.byteCount = byteCount }
    }

    func remove(url: String) {
        beginRemoving(url)
        removeFiles(of: url)
        endRemoving(url)
    }

    func invalidate(url: String) async {
        beginRemoving(url)
        // A task that was cancelled does not wait for it.
        try? await blocking { self.removeFiles(of: url) }
        endRemoving(url)
    }

    /// Removes the files of a URL now, in case the process ends. They are removed on the queue as well, in case a file is
    /// being written.
    private func removeFiles(of url: String) {
        if let error = folder.remove(url: url) { state.withLock { $0.error = error } }
    }

    private func beginRemoving(_ url: String) {
        state.withLock { state in
            state.removalCount += 1
            state.removals[url, default: 0] += 1
            for key in state.pending.keys where key.url == url {
                state.pendingCost -= state.pending.removeValue(forKey: key)?.responses.cost ?? 0
            }
        }
    }

    private func endRemoving(_ url: String) {
        queue.async {
            self.removeFiles(of: url)
            self.state.withLock { state in
                let rest = (state.removals[url] ?? 1) - 1
                state.removals[url] = rest > 0 ? rest : nil
            }
        }
    }

    func removeAll() {
        state.withLock { state in
            state.removalCount += 1
            state.removalsOfAll += 1
            (state.pending, state.pendingCost) = ([:], 0)
        }
        queue.sync {
            let error = folder.files.compactMap { folder.remove($0.path) }.last
            state.withLock { state in
                if let error { state.error = error }
                state.removalsOfAll -= 1
                state.byteCount = nil
            }
        }
    }

    /// Waits until all responses are written.
    func flush() async {
        let waiter = CancellableWaiter<Void>()
        queue.async { waiter.end(with: .success(())) }
        _ = await waiter.result()
    }
}

extension [StoredResponse] {
    fileprivate var cost: Int { reduce(0) { $0 + $1.cost } }
}
