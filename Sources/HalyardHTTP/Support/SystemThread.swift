#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A thread of the operating system, for work that blocks and so has no place in the cooperative pool.
package enum SystemThread {
    private final class Work {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread that runs `body` and ends.
    ///
    /// Signals are blocked on it, but for those of a fault in the program itself: the program's handlers stay on the
    /// program's threads, and a write to a connection that the peer has closed is an error here, never a SIGPIPE that
    /// ends the process.
    ///
    /// - Returns: false when the system refuses another thread; `body` is then never run.
    package static func start(stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)

        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // A thread inherits the mask of the one that makes it.
        let failure = blockingSignals { _ in pthread_create(&thread, &attributes, threadMain, work.toOpaque()) }
        if failure != 0 { work.release() }
        return failure == 0
    }

    /// Runs `body` on the thread that calls, as on one of ours: with signals blocked, and without the SIGPIPE that a
    /// write to a closed connection leaves behind.
    package static func borrow(_ body: () -> Void) {
        blockingSignals { before in
            // One that waited before is the program's.
            let isExpected = sigismember(&before, SIGPIPE) == 1 && isPending(SIGPIPE)
            body()
            if !isExpected && isPending(SIGPIPE) { drop(SIGPIPE) }
        }
    }

    /// Runs `body`, which is given the mask as it was, with signals blocked on this thread.
    private static func blockingSignals<Result>(_ body: (inout sigset_t) -> Result) -> Result {
        var (blocked, before) = (others, sigset_t())
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body(&before)
    }

    /// All signals but those by which a thread tells of its own fault.
    private static let others: sigset_t = {
        var set = sigset_t()
        sigfillset(&set)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] { sigdelset(&set, fault) }
        return set
    }()

    private static func isPending(_ signal: CInt) -> Bool {
        var pending = sigset_t()
        return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1
    }

    private static func drop(_ signal: CInt) {
        #if !canImport(Darwin)
            var (one, now) = (sigset_t(), timespec())
            sigemptyset(&one)
            sigaddset(&one, signal)
            sigtimedwait(&one, nil, &now)
        #endif
    }

    #if canImport(Darwin)
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run()
            return nil
        }
    #else
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            if let work = $0 { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
            return nil
        }
    #endif
}
