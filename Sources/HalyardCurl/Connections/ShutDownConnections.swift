import CHalyardCurl

/// The idle connections that the engine has shut down and that libcurl has not closed yet.
///
/// libcurl checks whether a connection is alive before it uses the connection again; since 8.22 it checks once a second
/// only. So it may choose a shut-down connection for a request. The request cannot reach the server over that
/// connection, and is safe to send again.
struct ShutDownConnections {
    private var endpoints: [CInt: ConnectionEndpoints] = [:]
    /// The sockets of QUIC connections. UDP has its own ports, so one may have the endpoints of a TCP connection.
    private var datagramSockets: Set<CInt> = []

    /// Records that the connection of a socket was shut down.
    mutating func insert(_ socket: CInt, _ endpoints: ConnectionEndpoints) { self.endpoints[socket] = endpoints }

    /// Records that libcurl has closed a socket.
    mutating func remove(_ socket: CInt) {
        if !endpoints.isEmpty { endpoints[socket] = nil }
        if !datagramSockets.isEmpty { datagramSockets.remove(socket) }
    }

    /// Records that a socket was opened for a QUIC connection.
    mutating func insert(datagramSocket socket: CInt) { datagramSockets.insert(socket) }

    /// Returns whether a connection was shut down. `connection` returns the endpoints of the connection. It is called
    /// only if any connection was shut down.
    func contains(_ connection: () -> ConnectionEndpoints?) -> Bool {
        guard !endpoints.isEmpty, let connection = connection() else { return false }
        return endpoints.values.contains(connection)
            && !datagramSockets.contains { ConnectionEndpoints(of: $0) == connection }
    }
}

/// The remote address and the two ports of a connection. No two open TCP connections have the same.
struct ConnectionEndpoints: Equatable {
    let remoteAddress: String
    let remotePort, localPort: CInt
}

extension ConnectionEndpoints {
    /// Reads the endpoints of a socket. `nil` for a socket without a connection over a network.
    init?(of socket: CInt) {
        var endpoints = halyard_socket_endpoints(socket)
        guard endpoints.local_port != 0 else { return nil }
        let address = withUnsafeBytes(of: &endpoints.remote_address) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(remoteAddress: address, remotePort: endpoints.remote_port, localPort: endpoints.local_port)
    }
}
