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
    /// All signals are blocked on it: the program's handlers stay on the program's threads, and a write to a
    /// connection that the peer has closed is an error here, never a SIGPIPE that ends the process.
    ///
    /// - Returns: false when the system refuses another thread; `body` is then never run.
    package static func start(stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)

        // The mask is inherited, so it is set before the thread exists and put back after.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, &attributes, threadMain, work.toOpaque())
        if failure != 0 { work.release() }
        return failure == 0
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
