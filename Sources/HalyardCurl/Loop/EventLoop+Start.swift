import CHalyardCurl
import HalyardHTTP

extension EventLoop {
    /// The parts of a loop, made on one thread and passed to the loop's thread.
    ///
    /// `@unchecked Sendable` is sound: the parts are passed once, and the first thread keeps no reference to them.
    struct Parts: @unchecked Sendable {
        let multi: UnsafeMutableRawPointer
        let poller: Poller
        let settings: EngineSettings
        /// A handle on which the settings were checked.
        let easy: EasyHandle
    }

    /// Makes an event loop and starts its thread.
    ///
    /// - Throws: ``HTTPError`` of kind `engineUnavailable` or `configuration`.
    static func start(_ configuration: EngineConfiguration) throws(HTTPError) -> EventLoopHandle {
        try CurlLibrary.load()
        if configuration.decompression.isOn { ContentCoding.load() }
        guard let multi = halyard_multi_init() else { throw CurlLibrary.unavailable(because: "out of memory") }
        var isStarted = false
        defer { if !isStarted { halyard_multi_cleanup(multi) } }
        guard let easy = EasyHandle() else { throw CurlLibrary.unavailable(because: "out of memory") }
        defer { if !isStarted { easy.free() } }
        guard let poller = Poller() else {
            throw HTTPError(.engineUnavailable, reason: "the process has no free descriptor")
        }
        defer { if !isStarted { poller.free() } }
        let settings = EngineSettings(configuration)
        defer { if !isStarted { settings.free() } }
        try settings.apply(to: easy, sockets: nil)
        easy.needsReset = true  // It has no socket callbacks yet.
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_HOST_CONNECTIONS, max(1, configuration.connectionsPerHost))
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_TOTAL_CONNECTIONS, settings.connectionLimit)
        // With a smaller cache than the number of transfers libcurl closes connections that the next request could use.
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAXCONNECTS, settings.connectionLimit)

        // The name of a local interface may be a host name, which libcurl looks up while it starts the transfer.
        let allowsInlineSubmission = CurlLibrary.startsWithoutBlocking && configuration.localInterface == nil
        let handle = EventLoopHandle(poller.epoll.wakeup, allowsInlineSubmission: allowsInlineSubmission)
        let parts = Parts(multi: multi, poller: poller, settings: settings, easy: easy)
        guard ProcessExit.add(handle) else {
            throw HTTPError(.engineUnavailable, reason: "the process is exiting")
        }
        isStarted = SystemThread.start {
            ProcessExit.enter()
            EventLoop(handle, of: parts).run()
            ProcessExit.leave(handle)
        }
        if !isStarted { ProcessExit.remove(handle) }
        guard isStarted else { throw HTTPError(.engineUnavailable, reason: "the system cannot start another thread") }
        return handle
    }
}
