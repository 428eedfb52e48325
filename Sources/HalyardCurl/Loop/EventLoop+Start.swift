import CHalyardCurl
import HalyardHTTP

extension EventLoop {
    /// What a loop is made of, on its way to the loop's thread.
    struct Parts: @unchecked Sendable {
        // Unchecked, and sound: it is handed over once, by a thread that keeps nothing of it.
        let multi: UnsafeMutableRawPointer
        let poller: Poller
        let settings: EngineSettings
        let first: EasyHandle
    }

    /// Starts a loop on a thread of its own; it runs until its mailbox says otherwise.
    ///
    /// - Throws: ``HTTPError`` of kind `engineUnavailable` or `configuration`.
    static func start(_ configuration: EngineConfiguration) throws(HTTPError) -> Mailbox {
        try CurlLibrary.load()
        if configuration.decompression.isOn { Inflater.load() }
        guard let multi = halyard_multi_init() else { throw CurlLibrary.missing(because: "out of memory") }
        var isStarted = false
        defer { if !isStarted { halyard_multi_cleanup(multi) } }
        guard let first = EasyHandle() else { throw CurlLibrary.missing(because: "out of memory") }
        defer { if !isStarted { first.free() } }
        guard let poller = Poller() else {
            throw HTTPError(.engineUnavailable, reason: "the system gives no more descriptors")
        }
        defer { if !isStarted { poller.free() } }
        let settings = EngineSettings(configuration)
        defer { if !isStarted { settings.free() } }
        try settings.apply(to: first, of: nil)
        first.isSpoilt = true  // it knows no loop yet
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_HOST_CONNECTIONS, max(1, configuration.connectionsPerHost))
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_TOTAL_CONNECTIONS, settings.connectionLimit)
        // Below the number in flight libcurl closes connections that the next request would have used.
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAXCONNECTS, settings.connectionLimit)

        // An interface's name may be a host's, which libcurl looks up there and then.
        let isLent = CurlLibrary.beginsAtOnce && configuration.localInterface == nil
        let mailbox = Mailbox(poller.queue.bell, isLent: isLent)
        let parts = Parts(multi: multi, poller: poller, settings: settings, first: first)
        guard ProcessExit.add(mailbox) else {
            throw HTTPError(.engineUnavailable, reason: "the process is exiting")
        }
        isStarted = SystemThread.start {
            ProcessExit.enter()
            EventLoop(mailbox, of: parts).run()
            ProcessExit.leave(mailbox)
        }
        if !isStarted { ProcessExit.remove(mailbox) }
        guard isStarted else { throw HTTPError(.engineUnavailable, reason: "the system gives no more threads") }
        return mailbox
    }
}
