import CHalyardCurl
import HalyardHTTP

/// A connection on its way to the event loop, and the place for its outcome.
final class PendingConnection: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let context: TransferContext
    /// Bytes from the server. The reserve is the size of one read.
    let incoming = BytePipe(capacity: 256 << 10, reserve: RawConnections.bufferSize)
    /// Bytes for the server.
    let outgoing = SendQueue(capacity: 256 << 10)
    private let outcome = OneShot<Result<String?, any Error>>()

    init(id: UInt64, _ request: HTTPRequest, _ context: TransferContext) {
        self.id = id
        self.request = request
        self.context = context
    }

    /// Resumes the caller with the remote address, or an error. Only the first call has an effect. Returns whether this
    /// is the first call.
    @discardableResult
    func complete(with result: Result<String?, any Error>) -> Bool { outcome.fulfill(result) }

    /// Waits for the connection, and returns the remote address. Call it once.
    nonisolated(nonsending) func opened() async throws -> String? { try await outcome.take().get() }
}

/// A connection whose bytes are handed over, without libcurl's HTTP: libcurl looks up the name, connects, and speaks TLS
/// and to proxies (`CURLOPT_CONNECT_ONLY`).
///
/// Only the owner of the event loop uses it.
final class RawConnection {
    let pending: PendingConnection
    let easy: EasyHandle
    /// The socket. -1 until the connection is made.
    private(set) var socket: CInt = -1
    /// Bytes that libcurl has not taken. A TLS library must get them again at the same address.
    private var unsent: UnsafeMutableRawBufferPointer?
    private var unsentRange = 0..<0
    /// Whether the socket must become writable before more is sent.
    private var isWriteBlocked = false
    /// Whether `incoming` is full.
    private(set) var isReadPaused = false
    private var hasInputEnded = false
    private var hasOutputEnded = false

    init(_ pending: PendingConnection, _ easy: EasyHandle) {
        self.pending = pending
        self.easy = easy
        // It has no delegate: libcurl makes no call about its messages, except for the response of a proxy to CONNECT.
        easy.id = pending.id
    }

    /// Sets the options of the connection. Returns `false` if libcurl rejects one.
    func configure(_ settings: EngineSettings) -> Bool {
        easy.isSingleUse = true
        easy.needsReset = true
        easy.set(HALYARD_OPT_URL, pending.request.address.text)
        easy.set(HALYARD_OPT_CONNECT_ONLY, true)
        easy.set(HALYARD_OPT_FRESH_CONNECT, true)
        easy.set(HALYARD_OPT_HTTP_VERSION, HALYARD__HTTP_VERSION_1_1)
        // Without a tunnel, a proxy for http would read the bytes as a request to itself.
        easy.set(HALYARD_OPT_HTTPPROXYTUNNEL, true)
        if let limit = pending.context.connectTimeout { easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, limit.milliseconds) }
        if settings.bypassesProxy(to: pending.request.origin) { easy.set(HALYARD_OPT_PROXY, "") }
        return easy.rejectedOption == nil
    }

    /// Records that the connection was made. Returns `false` if it is gone already.
    func open() -> Bool {
        socket = halyard_easy_active_socket(easy.pointer)
        return socket >= 0
    }

    /// The events to watch the socket for.
    var interest: CInt {
        var interest: CInt = 0
        if !isReadPaused && !hasInputEnded { interest |= HALYARD__POLL_IN }
        if isWriteBlocked { interest |= HALYARD__POLL_OUT }
        return interest
    }

    func error(_ result: halyard_result) -> HTTPError {
        HTTPError.forCurl(
            result, easy.errorMessage(for: result), pending.request.origin,
            verification: easy.long(HALYARD_INFO_SSL_VERIFYRESULT)
        ).adding(request: pending.request)
    }
}

// Bytes.
extension RawConnection {
    /// Reads what has arrived, until `incoming` is full. The TLS library may have bytes although the socket has none.
    /// Throws the error of the connection.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) {
        guard !hasInputEnded else { return }
        defer { pending.incoming.flush() }
        while true {
            isReadPaused = pending.incoming.isFull()
            if isReadPaused || pending.incoming.isClosed { return }
            var count = 0
            let result = halyard_easy_receive(easy.pointer, buffer.baseAddress, buffer.count, &count)
            if result == HALYARD_E_AGAIN { return }
            guard result == HALYARD_E_OK else { throw error(result) }
            guard count > 0 else {
                hasInputEnded = true
                return pending.incoming.finish()
            }
            _ = pending.incoming.tryWrite(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Sends what there is, until the socket takes no more. `buffers` is where the bytes are copied to. Throws the
    /// error of the connection.
    func send(_ buffers: inout RawConnections.Buffers) throws(HTTPError) {
        isWriteBlocked = false
        // The limit gives other connections their turn: a writable socket is reported again.
        for _ in 0..<16 {
            if unsentRange.isEmpty {
                let buffer = unsent ?? buffers.take()
                unsent = buffer
                switch pending.outgoing.read(into: buffer) {
                case .bytes(let count): unsentRange = 0..<count
                case .nothingYet: return putBuffer(&buffers)
                case .end:
                    if !hasOutputEnded { halyard_socket_shutdown(socket, false) }
                    hasOutputEnded = true
                    return putBuffer(&buffers)
                }
            }
            guard let unsent else { return }
            var count = 0
            let bytes = UnsafeRawBufferPointer(rebasing: unsent[unsentRange])
            let result = halyard_easy_send(easy.pointer, bytes.baseAddress, bytes.count, &count)
            if result == HALYARD_E_AGAIN { break }
            guard result == HALYARD_E_OK else { throw error(result) }
            unsentRange = unsentRange.lowerBound + count..<unsentRange.upperBound
        }
        isWriteBlocked = true
    }

    /// Gives the buffer back. Most connections have nothing to send most of the time.
    func putBuffer(_ buffers: inout RawConnections.Buffers) {
        if let unsent = unsent.take() { buffers.put(unsent) }
        unsentRange = 0..<0
    }
}

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

    mutating func insert(_ connection: RawConnection) { connections[connection.pending.id] = connection }

    /// Adds the socket of a connection that was made.
    mutating func opened(_ connection: RawConnection) { sockets[connection.socket] = connection }

    mutating func remove(_ connection: RawConnection) -> Bool {
        if connection.socket >= 0 { sockets[connection.socket] = nil }
        connection.putBuffer(&buffers)
        return connections.removeValue(forKey: connection.pending.id) != nil
    }

    func free() { buffers.free() }
}
