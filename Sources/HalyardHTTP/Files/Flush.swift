#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A system call that brings a file to the disk: 0, or -1 with `errno`.
typealias Flush = @Sendable (CInt) -> CInt

#if canImport(Darwin)
    /// On Apple's systems `fsync` leaves the bytes in the drive's own memory, which loses them with the power. `F_FULLFSYNC`
    /// does not, but not every file system has it.
    let systemFlushes: [Flush] = [{ fcntl($0, F_FULLFSYNC) }, { fsync($0) }]
#else
    let systemFlushes: [Flush] = [{ fsync($0) }]
#endif

/// Brings what was written to a file, or a folder's entries, to the disk: the only way in which Halyard does so.
///
/// - Parameters:
///   - flushes: the strongest first. The next one is tried only where the file system does not have the one before: an error
///     of the disk is final, for a later call would not report it again.
/// - Returns: false when it failed; `errno` says why.
func flushToDisk(_ descriptor: CInt, by flushes: [Flush] = systemFlushes) -> Bool {
    for flush in flushes {
        var result = flush(descriptor)
        while result != 0 && errno == EINTR { result = flush(descriptor) }
        if result == 0 { return true }
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY, ENOSYS].contains(errno) else { return false }
    }
    return false
}
