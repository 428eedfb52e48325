import HalyardSystem

/// A system call that flushes a file to the disk. Returns 0, or -1 with `errno`.
typealias Flush = @Sendable (CInt) -> CInt

#if canImport(Darwin)
    /// On Apple's systems `fsync` leaves the bytes in the drive's cache, which a power loss clears. `F_FULLFSYNC`
    /// flushes the cache, but some file systems do not support it.
    let systemFlushes: [Flush] = [{ fcntl($0, F_FULLFSYNC) }, { fsync($0) }]
#else
    let systemFlushes: [Flush] = [{ fsync($0) }]
#endif

/// Flushes a file's content, or a folder's entries, to the disk.
///
/// - Parameter flushes: The calls to try, the strongest first. The next one is tried only when the file system does not support
///   the one before. An error of the disk is final, because a later call would not report it again.
/// - Returns: `false` when it failed; `errno` has the reason.
func flushToDisk(_ descriptor: CInt, by flushes: [Flush] = systemFlushes) -> Bool {
    for flush in flushes {
        var result = flush(descriptor)
        while result != 0 && errno == EINTR { result = flush(descriptor) }
        if result == 0 { return true }
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY, ENOSYS].contains(errno) else { return false }
    }
    return false
}
