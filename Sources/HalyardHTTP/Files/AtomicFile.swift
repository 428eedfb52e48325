package import HalyardFoundation
import HalyardSystem

/// A file that is written under a temporary name in the folder of ``target``, and then renamed to it.
///
/// Releasing it without the rename removes the temporary file.
package final class AtomicFile: DownloadFile {
    private struct State: Sendable {
        /// -1 once the file is closed.
        var descriptor: CInt
        var isCommitted = false
        var permit: DescriptorPermit?
        var digest: SHA256Digest?
    }

    package let target: URL
    private let targetPath: String
    package let path: String
    private let prefix: String
    private let state: Lock<State>

    /// Opens a temporary file, and makes the missing folders of its target.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether only the user may read the file.
    ///   - permit: The permission to have the file open, which is kept until it is closed.
    ///   - isPatient: Whether to wait while the process has no free descriptor. Only for threads that may block.
    ///   - isHashed: Whether the file computes its ``digest``.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package init(
        _ target: URL, prefix: String = ".halyard-", isPrivate: Bool = false, permit: DescriptorPermit? = nil,
        isPatient: Bool = false, isHashed: Bool = false
    ) throws(HTTPError) {
        (self.target, self.prefix) = (target, prefix)
        targetPath = target.path(percentEncoded: false)
        try target.makeFolder()
        let file = try TemporaryFile(for: target, prefix: prefix, isPrivate: isPrivate, isPatient: isPatient)
        path = file.path
        state = Lock(State(descriptor: file.descriptor, permit: permit, digest: isHashed ? SHA256Digest() : nil))
    }

    deinit {
        discard()
        state.withLock { Self.close(&$0) }
    }

    /// Closes the file, so that a response that is kept does not keep a descriptor.
    private static func close(_ state: inout State) {
        if state.descriptor >= 0 { TemporaryFile.close(state.descriptor) }
        state.descriptor = -1
        state.permit = nil
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
        guard writeAll(bytes, to: state.withLock { $0.descriptor }) else { throw failure() }
        state.withLock { $0.digest?.update(bytes) }
    }

    package var digest: Data? { state.withLock { $0.digest?.finish() } }

    package func commit() throws(HTTPError) { try commit(isDurable: false) }

    /// Renames the file to ``target`` and replaces a file that is there. Later calls do nothing. `isDurable` says
    /// whether the file is flushed to the disk first, so that a crash leaves the old or the new file.
    package func commit(isDurable: Bool) throws(HTTPError) {
        try state.withLock { state throws(HTTPError) in
            guard !state.isCommitted else { return }
            guard !isDurable || flushToDisk(state.descriptor) else { throw failure() }
            guard rename(path, targetPath) == 0 else { throw failure() }
            state.isCommitted = true
            // A target whose name looks like a temporary file's stays locked until it is moved, so that it is not
            // removed as a leftover.
            if !target.lastPathComponent.hasPrefix(prefix) { Self.close(&state) }
            if isDurable { syncFolder() }
        }
    }

    /// Flushes the rename to the disk. Errors are ignored, because some file systems do not support flushing a folder.
    private func syncFolder() {
        let folder = open(target.deletingLastPathComponent().path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = flushToDisk(folder)
        systemClose(folder)
    }

    /// Removes the written bytes, unless it is at ``target``.
    package func discard() {
        state.withLock { state in
            guard !state.isCommitted else { return }
            _ = unlink(path)
            Self.close(&state)
        }
    }

    private func failure() -> HTTPError { HTTPError(.unwritableFile(targetPath), reason: systemReason()) }
}

extension AtomicFile {
    /// Removes leftovers of killed processes beside a file, as opening an atomic file does.
    package static func removeLeftovers(beside target: URL, prefix: String) {
        Leftovers.remove(from: target.deletingLastPathComponent().path(percentEncoded: false), prefix: prefix)
    }
}

/// A system call that flushes a file to the disk. Returns 0, or -1 with `errno`.
typealias Flush = @Sendable (CInt) -> CInt

#if canImport(Darwin)
    /// On Apple's systems `fsync` leaves the bytes in the drive's cache, which a power loss clears. `F_FULLFSYNC`
    /// flushes the cache, but some file systems do not support it.
    let systemFlushes: [Flush] = [{ fcntl($0, F_FULLFSYNC) }, { fsync($0) }]
#else
    let systemFlushes: [Flush] = [{ fsync($0) }]
#endif

/// Flushes a file's content, or a folder's entries, to the disk. `flushes` are the calls to try, the strongest first.
/// The next one is tried only when the file system does not support the one before. An error of the disk is final,
/// because a later call would not report it again. Returns `false` when it failed; `errno` has the reason.
func flushToDisk(_ descriptor: CInt, by flushes: [Flush] = systemFlushes) -> Bool {
    for flush in flushes {
        var result = flush(descriptor)
        while result != 0 && errno == EINTR { result = flush(descriptor) }
        if result == 0 { return true }
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY, ENOSYS].contains(errno) else { return false }
    }
    return false
}
