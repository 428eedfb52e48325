import Dispatch
import HalyardFoundation
import HalyardHTTP

/// Responses in a folder, up to a number of bytes. Several processes may use the folder.
///
/// Files are written on a queue: no response waits for that. A file that the system has in memory is read at once, any
/// other on a thread that may block. Until a file is written, its responses are in memory. A response that cannot be
/// written is not stored.
final class DiskStore: CacheStore {
    /// What the queue still has to do with the files of a URL.
    private struct Pending: Sendable {
        /// Whether the files are removed first. They may be old ones.
        var isRemoved = false
        /// The responses to write.
        var responses: [CacheKey: [StoredResponse]] = [:]
        var version: UInt64 = 0

        var cost: Int { responses.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.cost } } }
    }

    private struct State: Sendable {
        /// By the URL.
        var pending: [String: Pending] = [:]
        var pendingCost = 0
        var lastVersion: UInt64 = 0
        /// The number of removals so far. A file that was read before the last one may be gone.
        var removalCount = 0
        /// The size of all files as far as it is known. `nil` before they were counted.
        var byteCount: Int?
        var error: HTTPError?

        mutating func set(_ next: Pending?, of url: String) {
            lastVersion += 1
            pendingCost += (next?.cost ?? 0) - (pending[url]?.cost ?? 0)
            pending[url] = next
            pending[url]?.version = lastVersion
        }
    }

    private let folder: CacheFolder
    private let limit: Int
    private let estimates: Bool
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "Halyard.DiskStore")

    /// Makes a store in a folder. Throws ``HTTPError`` of kind `unwritableFile`.
    init(_ url: URL, limit: Int, _ estimates: Bool) throws(HTTPError) {
        folder = try CacheFolder(url)
        self.limit = max(0, limit)
        self.estimates = estimates
    }

    /// The error of the last write. `nil` if it succeeded.
    var error: HTTPError? { state.withLock(\.error) }

    var byteCount: Int {
        queue.sync { folder.files.byteCount }
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        if let pending = state.withLock({ $0.pending[key.url] }) {
            if let responses = pending.responses[key] { return responses }
            if pending.isRemoved { return [] }
        }
        var file: CacheFile?
        do {
            file = try folder.read(key, limit: limit, estimates, waits: false)
        } catch {
            // For a task that was cancelled there is no file.
            file = try? await blocking { [folder, estimates, limit] in try folder.read(key, limit: limit, estimates) }
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
            var pending = state.pending[key.url] ?? Pending()
            var responses = pending.responses[key] ?? (state.removalCount == removalCount ? known : [])
            responses.put(response)
            pending.responses[key] = responses
            state.set(pending, of: key.url)
            return true
        }
        if isAccepted { queue.async { self.writeFiles(of: key.url) } }
    }

    /// Removes and writes the files of a URL. It runs on the queue.
    private func writeFiles(of url: String) {
        guard let pending = state.withLock({ $0.pending[url] }) else { return }
        var (growth, failure): (Int, HTTPError?) = (0, nil)
        if pending.isRemoved { removeFiles(of: url) }
        for (key, responses) in pending.responses {
            do throws(HTTPError) {
                growth += try folder.write(CacheFile(url: url, responses: responses).encoded, for: key)
            } catch { failure = error }
        }
        let byteCount = state.withLock { [growth, failure] state -> Int? in
            if state.pending[url]?.version == pending.version { state.set(nil, of: url) }
            state.byteCount = state.byteCount.map { $0 + growth }
            if !pending.responses.isEmpty { state.error = failure }
            return state.byteCount
        }
        // Another process, or a file that was replaced, can make the known size wrong.
        if !pending.responses.isEmpty, !(0...limit).contains(byteCount ?? -1) { shrink() }
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
        forget(url)
        removeFiles(of: url)
    }

    func invalidate(url: String) async {
        forget(url)
        // A task that was cancelled does not wait for it.
        try? await blocking { self.removeFiles(of: url) }
    }

    /// Forgets the responses of a URL, whose files are removed on the queue, in case one is being written. The caller
    /// removes them at once as well, in case the process ends.
    private func forget(_ url: String) {
        state.withLock { state in
            state.removalCount += 1
            state.set(Pending(isRemoved: true), of: url)
        }
        queue.async { self.writeFiles(of: url) }
    }

    private func removeFiles(of url: String) {
        if let error = folder.remove(url: url) { state.withLock { $0.error = error } }
    }

    func removeAll() {
        state.withLock { state in
            state.removalCount += 1
            (state.pending, state.pendingCost) = ([:], 0)
        }
        queue.sync {
            let error = folder.files.compactMap { folder.remove($0.path) }.last
            state.withLock { state in
                state.error = error ?? state.error
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
