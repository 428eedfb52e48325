import Dispatch
import HalyardSystem

/// The limit of open descriptors of the process (`ulimit -n`).
package enum Descriptors {
    /// At most a million, also when the system sets no limit.
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

/// Permission for a request to keep the part of a resumed download open before it has a connection. Releasing the last
/// reference returns it.
///
/// At most a quarter of the process's descriptors are given out, so that a few hundred downloads cannot take all of
/// them and leave none for connections. Other downloads open their file when the response's head has come, so there are
/// no more of them than connections.
package final class FileAllowance: Sendable {
    private static let free = DispatchSemaphore(value: max(2, Descriptors.limit / 4))

    /// Takes a permission; `nil` when none is free.
    package static func take() -> FileAllowance? { free.wait(timeout: .now()) == .success ? FileAllowance() : nil }

    private init() {}
    deinit { Self.free.signal() }
}
