import CHalyardCurl

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

    fileprivate func close(_ socket: CInt) {
        context.shutDownConnections.remove(socket)
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
    if socket >= 0 { EventLoop.fromContext(context).poller.opened(socket) }
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
