import CHalyardCurl
import HalyardHTTP

// libcurl's callbacks for the whole loop: sockets of connections and name lookups, and the timer. libcurl calls them on
// the thread that owns the loop.
extension EventLoop {
    /// Sets the callbacks of the multi handle.
    func installCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = halyard_multi_set_pointer(multi, HALYARD_MOPT_SOCKETDATA, context)
        _ = halyard_multi_set_socket_callback(multi, socketChanged)
        _ = halyard_multi_set_pointer(multi, HALYARD_MOPT_TIMERDATA, context)
        _ = halyard_multi_set_timer_callback(multi, timerChanged)
    }

    /// The callbacks of an easy handle that open and close sockets.
    var socketCallbacks: SocketCallbacks {
        SocketCallbacks(
            open: openSocket, close: closeSocket, context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns whether a connection belongs to a transfer that is or was paused. libcurl watches neither the connection
    /// of a paused transfer nor an unused one.
    func isInUse(_ socket: CInt) -> Bool {
        let port = Int(halyard_socket_endpoints(socket).local_port)
        return transfers.values.contains {
            $0.wasPaused && (port == 0 || $0.easy.long(HALYARD_INFO_LOCAL_PORT) == port)
        }
    }

    /// Shuts down the idle connections that their servers are about to close, so that no request is sent over them.
    func shutDownDue(_ now: MonotonicInstant) {
        for socket in context.keepAliveEnds.takeDue(now) where !isInUse(socket) {
            guard let endpoints = ConnectionEndpoints(of: socket), poller.shutDown(idle: socket) else { continue }
            context.shutDownConnections.insert(socket, endpoints)
        }
    }

    fileprivate func opened(_ socket: CInt, isDatagram: Bool) {
        poller.opened(socket, isDatagram: isDatagram)
        if isDatagram { context.shutDownConnections.insert(datagramSocket: socket) }
    }

    fileprivate func close(_ socket: CInt) {
        context.shutDownConnections.remove(socket)
        context.keepAliveEnds.remove(socket)
        context.batch.remove(socket)
        poller.close(socket)
    }

    fileprivate static func fromContext(_ context: UnsafeMutableRawPointer) -> EventLoop {
        Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    }
}

private let socketChanged: halyard_socket_callback = { easy, socket, what, context, _ in
    guard let context else { return 0 }
    let delegate = what == HALYARD__POLL_REMOVE ? easy.flatMap { EasyHandle.fromPointer($0)?.delegate } : nil
    let loop = EventLoop.fromContext(context)
    loop.poller.watch(socket, for: what, isMultiplexed: delegate?.mayBeMultiplexed ?? false)
    return 0
}

private let openSocket: halyard_open_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let socket = halyard_open_socket(address)
    if socket >= 0 { EventLoop.fromContext(context).opened(socket, isDatagram: halyard_is_datagram(address)) }
    return socket
}

private let closeSocket: halyard_close_callback = { context, socket in
    if let context { EventLoop.fromContext(context).close(socket) }
    return 0
}

private let timerChanged: halyard_timer_callback = { _, milliseconds, context in
    if let context { EventLoop.fromContext(context).setTimer(milliseconds) }
    return 0
}

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

    /// Makes an event loop and starts its thread. Throws ``HTTPError`` of kind `engineUnavailable` or `configuration`.
    static func start(_ configuration: EngineConfiguration) throws(HTTPError) -> EventLoopHandle {
        try CurlLibrary.load()
        if configuration.decompresses { ContentCoding.load() }
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
        guard ProcessExit.add(handle, stop: handle.stopForExit) else {
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
