import CHalyardCurl

// The sockets of connections and of name lookups.
extension EventLoop {
    /// libcurl wants a socket watched, otherwise, or no longer.
    func watch(_ socket: CInt, for what: CInt, isMultiplexed: Bool) {
        poller.watch(socket, for: what, isMultiplexed: isMultiplexed)
    }

    /// Whether a transfer that is paused, or was, uses a connection. libcurl watches neither that nor an idle one.
    func isInUse(_ socket: CInt) -> Bool {
        let port = Int(halyard_socket_ends(socket).local_port)
        return transfers.values.contains {
            $0.wasPaused && (port == 0 || $0.easy.long(HALYARD_INFO_LOCAL_PORT) == port)
        }
    }

    /// libcurl has a new socket, for a connection.
    func opened(_ socket: CInt) { poller.opened(socket) }

    /// libcurl is done with a socket.
    func close(_ socket: CInt) {
        turn.closed(socket)
        poller.close(socket)
    }
}
