// A stub of the C library of another system, to type-check the code for that system. It has the names of Linux, and
// the differences that the sources need.
@_exported import Glibc

#if HALYARD_DARWIN
    public struct os_unfair_lock { public init() {} }
    public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}
    public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}
    extension stat {
        public var st_mtimespec: timespec { st_mtim }
        public var st_ctimespec: timespec { st_ctim }
    }
    @discardableResult
    public func posix_spawn_file_actions_init(
        _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>
    ) -> Int32 { 0 }
    @discardableResult
    public func posix_spawn_file_actions_destroy(
        _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>
    ) -> Int32 { 0 }
    @discardableResult
    public func posix_spawn_file_actions_adddup2(
        _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ from: Int32, _ to: Int32
    ) -> Int32 { 0 }
    @discardableResult
    public func posix_spawn_file_actions_addopen(
        _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ descriptor: Int32, _ path: UnsafePointer<CChar>,
        _ flags: Int32, _ mode: mode_t
    ) -> Int32 { 0 }
    public func posix_spawn(
        _ pid: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>,
        _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<posix_spawnattr_t>?,
        _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 { 0 }
    public let SO_NOSIGPIPE: Int32 = 0x1022
    public let F_FULLFSYNC: Int32 = 51
    public let RENAME_EXCL: UInt32 = 4
    public func renamex_np(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>, _ flags: UInt32) -> Int32 { 0 }
    public func pthread_setname_np(_ name: UnsafePointer<CChar>) -> Int32 { 0 }
    public typealias pthread_t = OpaquePointer
    public func pthread_create(
        _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
        _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
    ) -> Int32 { 0 }
    public func pthread_join(_ thread: pthread_t, _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 { 0 }
    public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
#endif

// Enumerations in glibc only.
public let SOCK_STREAM: Int32 = 1
public let SOCK_DGRAM: Int32 = 2
public let RUSAGE_SELF: Int32 = 0
public let RLIMIT_NOFILE: Int32 = 7
public let RLIMIT_FSIZE: Int32 = 1
