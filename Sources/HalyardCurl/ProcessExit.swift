import CHalyardCurl
import HalyardHTTP
import HalyardSystem

/// Stops every engine before `exit` tears down the TLS library.
///
/// `exit` runs OpenSSL's cleanup, or the destructors of another TLS library, on the thread that calls it, while other
/// threads still run. A thread that is inside the library then, or that ends and frees what the library keeps for it,
/// touches freed memory. A handler of `atexit` that is registered after libcurl is initialised runs before that cleanup.
/// It waits until no engine is inside libcurl and no thread that was there is ending, and keeps it so until the process
/// is gone.
enum ProcessExit {
    private struct State: Sendable {
        var isExiting = false
        /// The engines whose thread runs.
        var mailboxes: [ObjectIdentifier: Mailbox] = [:]
        /// Threads that were inside libcurl and are now freeing what the TLS library keeps for them.
        var endingThreads = 0
    }

    private static let state = Lock(State())
    /// A child of the process has none of its threads, and perhaps the lock as it was held.
    private static let process = getpid()
    /// The longest that `exit` waits, in milliseconds. A name lookup that cannot be broken off may take longer.
    private static let patience = 2000

    /// What a thread that was inside libcurl holds under ``key``.
    private enum Mark: Int {
        /// The thread has used libcurl.
        case guest = 1
        /// The thread is counted among those that end, and the TLS library's destructor may still have to run.
        case ending = 2
        /// The next round of destructors comes after the TLS library's.
        case last = 3

        var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: rawValue) }
    }

    /// Its destructor tells when a thread ends. It is made before the TLS library makes its own key, so that its
    /// destructor runs first in each round: the second round comes after the TLS library's first.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            #if canImport(Darwin)
                ProcessExit.threadEnds(Mark(rawValue: Int(bitPattern: value)))
            #else
                ProcessExit.threadEnds(value.flatMap { Mark(rawValue: Int(bitPattern: $0)) })
            #endif
        }
        return key
    }()

    /// Loads libcurl by `load`, between the two steps that depend on it.
    ///
    /// - Returns: what `load` returns: why libcurl cannot be used, or `nil`.
    static func prepare(_ load: () -> String?) -> String? {
        _ = (key, process)
        let flaw = load()
        if flaw == nil { atexit { ProcessExit.stopEngines() } }
        return flaw
    }

    /// Notes an engine whose thread is about to start. Returns false when the process is exiting.
    static func add(_ mailbox: Mailbox) -> Bool {
        state.withLock { state in
            if !state.isExiting { state.mailboxes[ObjectIdentifier(mailbox)] = mailbox }
            return !state.isExiting
        }
    }

    /// Takes back an engine whose thread could not be started.
    static func remove(_ mailbox: Mailbox) {
        state.withLock { _ = $0.mailboxes.removeValue(forKey: ObjectIdentifier(mailbox)) }
    }

    /// Notes that this thread uses libcurl, and so may hold something of the TLS library when it ends.
    static func enter() { pthread_setspecific(key, Mark.guest.pointer) }

    /// Notes that the engine on this thread has ended, and that the thread will.
    static func leave(_ mailbox: Mailbox) {
        let isExiting = state.withLock { state in
            state.mailboxes[ObjectIdentifier(mailbox)] = nil
            if !state.isExiting { state.endingThreads += 1 }
            return state.isExiting
        }
        if isExiting { park() }
        pthread_setspecific(key, Mark.ending.pointer)
    }

    private static func threadEnds(_ mark: Mark?) {
        guard getpid() == process else { return }
        switch mark {
        case .guest:
            let isExiting = state.withLock { state in
                if !state.isExiting { state.endingThreads += 1 }
                return state.isExiting
            }
            // The thread is the program's: somebody who runs at exit may wait for it.
            if isExiting { return waitForExit() }
            pthread_setspecific(key, Mark.last.pointer)
        case .ending: pthread_setspecific(key, Mark.last.pointer)
        case .last: state.withLock { $0.endingThreads -= 1 }
        case nil: break
        }
    }

    /// Stays for as long as the process does: the thread must neither go on nor end.
    static func park() -> Never { while true { pause() } }

    /// Waits until the process is gone, or for as long as it may take.
    private static func waitForExit() {
        let due = Instant.now.advanced(milliseconds: patience)
        while Instant.now < due { usleep(1000) }
    }

    private static func stopEngines() {
        guard getpid() == process else { return }
        let due = Instant.now.advanced(milliseconds: patience)
        while true {
            let (mailboxes, endingThreads) = state.withLock { state in
                state.isExiting = true
                return (Array(state.mailboxes.values), state.endingThreads)
            }
            // Each is asked to stop at once; then those that were busy are asked again.
            let busy = mailboxes.count { !$0.halt() }
            if busy == 0 && endingThreads == 0 || Instant.now >= due { return }
            usleep(50)
        }
    }
}
