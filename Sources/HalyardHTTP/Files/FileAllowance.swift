import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The descriptors that the process may have open, as the system says (`ulimit -n`).
package enum Descriptors {
    /// A million at most, where the system sets no limit.
    package static var limit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return max(1, Int(clamping: min(limit.rlim_cur, 1 << 20)))
    }
}

/// The right to have the part of one file open that a request resumes, before it has a connection. It ends with its last
/// reference.
///
/// At most a quarter of the process's descriptors are given out. Otherwise a few hundred downloads take them all, and none
/// of them can connect. Other downloads open their file when the head has come, and so are as many as connections.
package final class FileAllowance: Sendable {
    private static let free = DispatchSemaphore(value: max(2, Descriptors.limit / 4))

    /// Takes one; `nil` when none is free.
    package static func take() -> FileAllowance? { free.wait(timeout: .now()) == .success ? FileAllowance() : nil }

    private init() {}
    deinit { Self.free.signal() }
}
