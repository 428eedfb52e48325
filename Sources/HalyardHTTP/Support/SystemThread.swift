import HalyardSystem

/// A thread of the operating system, for work that blocks and must not run in the cooperative pool.
package enum SystemThread {
    private final class Work {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread that runs `body` and ends.
    ///
    /// Signals are blocked on the thread, except those of a fault in the program: the program's handlers run on the
    /// program's threads, and a write to a closed connection is an error and not a SIGPIPE that ends the process.
    ///
    /// - Parameter stackSize: Bytes. Defaults to 512 KiB.
    /// - Returns: `false` when the system refuses another thread; `body` does not run then.
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
        // A thread inherits the signal mask of the thread that makes it.
        let failure = blockingSignals { _ in pthread_create(&thread, &attributes, threadMain, work.toOpaque()) }
        if failure != 0 { work.release() }
        return failure == 0
    }

    /// Runs `body` on the calling thread with signals blocked, and discards a SIGPIPE from a write to a closed
    /// connection.
    package static func borrow(_ body: () -> Void) {
        blockingSignals { before in
            // A SIGPIPE that was pending before belongs to the program.
            let isExpected = sigismember(&before, SIGPIPE) == 1 && isPending(SIGPIPE)
            body()
            if !isExpected && isPending(SIGPIPE) { drop(SIGPIPE) }
        }
    }

    /// Runs `body` with signals blocked on this thread. `body` receives the mask as it was.
    private static func blockingSignals<Result>(_ body: (inout sigset_t) -> Result) -> Result {
        var (blocked, before) = (others, sigset_t())
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body(&before)
    }

    /// All signals except those that report a fault in the thread itself.
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
