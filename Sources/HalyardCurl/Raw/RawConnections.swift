import HalyardHTTP

/// The connections of one event loop that are handed over as bytes.
struct RawConnections {
    static let bufferSize = 64 << 10

    /// Buffers for sending. A connection keeps one only while the socket takes no more.
    struct Buffers {
        private var spares: [UnsafeMutableRawBufferPointer] = []

        mutating func take() -> UnsafeMutableRawBufferPointer {
            spares.popLast() ?? .allocate(byteCount: RawConnections.bufferSize, alignment: 16)
        }

        mutating func put(_ buffer: UnsafeMutableRawBufferPointer) {
            if spares.count < 4 { spares.append(buffer) } else { buffer.deallocate() }
        }

        func free() { for buffer in spares { buffer.deallocate() } }
    }

    private var connections: [UInt64: RawConnection] = [:]
    private var sockets: [CInt: RawConnection] = [:]
    var buffers = Buffers()

    var isEmpty: Bool { connections.isEmpty }
    var count: Int { connections.count }
    var all: [RawConnection] { Array(connections.values) }

    subscript(id: UInt64) -> RawConnection? { connections[id] }
    subscript(socket socket: CInt) -> RawConnection? { sockets.isEmpty ? nil : sockets[socket] }

    mutating func insert(_ connection: RawConnection) { connections[connection.id] = connection }

    /// Adds the socket of a connection that was made.
    mutating func opened(_ connection: RawConnection) { sockets[connection.socket] = connection }

    /// Removes a connection.
    mutating func remove(_ connection: RawConnection) -> Bool {
        if connection.socket >= 0 { sockets[connection.socket] = nil }
        connection.putBuffer(&buffers)
        return connections.removeValue(forKey: connection.id) != nil
    }

    func free() { buffers.free() }
}
