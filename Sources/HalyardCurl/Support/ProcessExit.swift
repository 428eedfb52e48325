import HalyardHTTP
import HalyardSystem

/// Stops every engine before `exit` tears down the TLS library.
///
/// `exit` runs OpenSSL's cleanup, or the destructors of another TLS library, on the thread that calls it, while other
/// threads still run. A thread that is inside the TLS library at that time touches freed memory. So does a thread that
/// ends and frees the TLS library's thread-local data.
///
/// An `atexit` handler that is registered after libcurl is initialised runs before that cleanup. The handler waits
/// until no engine is inside libcurl and no thread that used libcurl is ending. From then on no engine enters libcurl
/// again.
enum ProcessExit {
    private struct State: Sendable {
        var isExiting = false
        /// The engines whose thread runs. Each keeps every thread out of its engine from now on, and returns at once
        /// whether no thread is inside the engine any more. If not, the call is repeated.
        var engines: [ObjectIdentifier: @Sendable () -> Bool] = [:]
        /// The number of threads that used libcurl and are now freeing the TLS library's thread-local data.
        var endingThreads = 0
    }

    private static let state = Lock(State())
    /// The process that loaded libcurl. A forked child has none of its threads, and may have inherited a locked lock.
    private static let process = getpid()
    /// The longest that `exit` waits, in milliseconds. A name lookup that cannot be interrupted may take longer.
    private static let timeout = 2000

    /// The value of a thread that used libcurl, stored under ``key``.
    private enum ThreadState: Int {
        /// The thread has used libcurl.
        case active = 1
        /// The thread is counted in `endingThreads`. The TLS library's destructor may not have run yet.
        case ending = 2
        /// The TLS library's destructor runs before the next round of destructors.
        case lastRound = 3

        var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: rawValue) }
    }

    /// A thread-local key whose destructor is called when a thread ends.
    ///
    /// The key is created before the TLS library creates its own, so that its destructor runs first in each round of
    /// destructors. Its second call therefore comes after the first call of the TLS library's destructor.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            #if canImport(Darwin)
                ProcessExit.threadEnds(ThreadState(rawValue: Int(bitPattern: value)))
            #else
                ProcessExit.threadEnds(value.flatMap { ThreadState(rawValue: Int(bitPattern: $0)) })
            #endif
        }
        return key
    }()

    /// Calls `load` between the two steps that must surround the loading of libcurl: the creation of the thread-local
    /// key before, and the registration of the `atexit` handler after. `load` loads libcurl. Returns a description of
    /// the failure, or `nil`.
    static func prepare(_ load: () -> String?) -> String? {
        _ = (key, process)
        let failure = load()
        if failure == nil { atexit { ProcessExit.stopEngines() } }
        return failure
    }

    /// Registers an engine whose thread is about to start. `stop` keeps threads out of it. Returns whether it is
    /// registered; `false` while the process is exiting.
    static func add(_ engine: AnyObject, stop: @escaping @Sendable () -> Bool) -> Bool {
        state.withLock { state in
            if !state.isExiting { state.engines[ObjectIdentifier(engine)] = stop }
            return !state.isExiting
        }
    }

    /// Removes an engine whose thread could not be started.
    static func remove(_ engine: AnyObject) {
        state.withLock { _ = $0.engines.removeValue(forKey: ObjectIdentifier(engine)) }
    }

    /// Marks the current thread as one that uses libcurl, and so may own thread-local data of the TLS library.
    static func enter() { pthread_setspecific(key, ThreadState.active.pointer) }

    /// Removes an engine that has ended, on the engine's own thread. The caller then ends the thread.
    static func leave(_ engine: AnyObject) {
        let isExiting = state.withLock { state in
            state.engines[ObjectIdentifier(engine)] = nil
            if !state.isExiting { state.endingThreads += 1 }
            return state.isExiting
        }
        if isExiting { park() }
        pthread_setspecific(key, ThreadState.ending.pointer)
    }

    private static func threadEnds(_ thread: ThreadState?) {
        guard getpid() == process else { return }
        switch thread {
        case .active:
            let isExiting = state.withLock { state in
                if !state.isExiting { state.endingThreads += 1 }
                return state.isExiting
            }
            // The thread belongs to the program, and another exit handler may join it. So it must not block forever.
            if isExiting { return waitForExit() }
            pthread_setspecific(key, ThreadState.lastRound.pointer)
        case .ending: pthread_setspecific(key, ThreadState.lastRound.pointer)
        case .lastRound: state.withLock { $0.endingThreads -= 1 }
        case nil: break
        }
    }

    /// Blocks the current thread until the process is gone. The thread must neither continue nor end.
    static func park() -> Never { while true { pause() } }

    /// Blocks until the process is gone, at most for ``timeout``.
    private static func waitForExit() {
        let due = MonotonicInstant.now.advanced(milliseconds: timeout)
        while MonotonicInstant.now < due { usleep(1000) }
    }

    private static func stopEngines() {
        guard getpid() == process else { return }
        let due = MonotonicInstant.now.advanced(milliseconds: timeout)
        while true {
            let (engines, endingThreads) = state.withLock { state in
                state.isExiting = true
                return (Array(state.engines.values), state.endingThreads)
            }
            // All engines are asked to stop before any is asked again.
            let busy = engines.count { !$0() }
            if busy == 0 && endingThreads == 0 || MonotonicInstant.now >= due { return }
            usleep(50)
        }
    }
}
