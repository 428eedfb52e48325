import CHalyardCurl
import HalyardHTTP

// Connections that are handed over as bytes. They do not count as connections of the engine's limits, because they stay
// open as long as the user wants.
extension EventLoop {
    func connect(_ pending: PendingConnection) {
        guard !isClosing else { return _ = pending.complete(with: .failure(HTTPError(.shutDown))) }
        do throws(HTTPError) {
            let easy = try easyHandles.take(for: pending.request.origin, sockets: socketCallbacks)
            let connection = RawConnection(pending, easy)
            rawConnections.insert(connection)
            updateConnectionLimits()
            guard connection.configure(context.settings), halyard_multi_add_handle(multi, easy.pointer) == 0 else {
                return end(connection, throwing: CurlLibrary.unavailable(because: "it makes no plain connections"))
            }
        } catch { pending.complete(with: .failure(error)) }
    }

    /// Hands over a connection that libcurl has made, or fails its caller.
    func connected(_ id: UInt64, _ result: halyard_result) {
        guard let connection = rawConnections[id] else { return }
        guard result == HALYARD_E_OK, connection.open() else {
            let result = result == HALYARD_E_OK ? HALYARD_E_RECV_ERROR : result
            return end(connection, throwing: connection.error(result))
        }
        rawConnections.opened(connection)
        let notify: @Sendable () -> Void = { [handle] in handle.post(.streamChanged(id)) }
        connection.pending.incoming.onChange(notify)
        connection.pending.outgoing.onChange(notify)
        connection.pending.complete(with: .success(connection.easy.remoteAddress))
        move(connection, HALYARD__CSELECT_IN | HALYARD__CSELECT_OUT)
    }

    /// Continues after the user has written or read.
    func bytesReady(_ id: UInt64) {
        guard let connection = rawConnections[id], connection.socket >= 0 else { return }
        // A socket that is being read is reported when something arrives.
        move(connection, HALYARD__CSELECT_OUT | (connection.isReadPaused ? HALYARD__CSELECT_IN : 0))
    }

    /// Sends and receives what is possible now.
    func move(_ connection: RawConnection, _ ready: CInt) {
        do throws(HTTPError) {
            if ready & ~HALYARD__CSELECT_OUT != 0 {
                let buffer = rawConnections.buffers.take()
                defer { rawConnections.buffers.put(buffer) }
                try connection.receive(buffer)
            }
            if ready & ~HALYARD__CSELECT_IN != 0 { try connection.send(&rawConnections.buffers) }
        } catch { return end(connection, throwing: error) }
        poller.watchRaw(connection.socket, for: connection.interest)
    }

    /// Ends a connection and frees its handle.
    func end(_ connection: RawConnection, throwing error: any Error) {
        guard rawConnections.remove(connection) else { return }
        if !connection.pending.complete(with: .failure(error)) {
            connection.pending.incoming.finish(throwing: error)
            connection.pending.outgoing.fail(throwing: error)
        }
        // Releases before 7.84 keep the connection after its handle is removed, until they find that it is dead.
        if connection.socket >= 0 { halyard_socket_shutdown(connection.socket, true) }
        _ = halyard_multi_remove_handle(multi, connection.easy.pointer)
        easyHandles.put(connection.easy, isClean: false)
        updateConnectionLimits()
    }

    /// Raises libcurl's own limits by the number of these connections. Otherwise it would let requests wait for them.
    private func updateConnectionLimits() {
        let (settings, count) = (context.settings, rawConnections.count)
        let perHost = max(1, settings.configuration.connectionsPerHost)
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_HOST_CONNECTIONS, perHost + count)
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_TOTAL_CONNECTIONS, settings.connectionLimit + count)
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAXCONNECTS, settings.connectionLimit + count)
    }
}
