import Halyard
import HalyardFoundation
import HalyardHTTP

/// A connection on its own thread. It receives requests and sends responses, until either side closes it.
struct ServerConnection {
    private let socket: Socket
    /// `nil` without TLS.
    private let session: TLSSession?
    private let number: Int
    private let core: ServerCore
    private var reader = MessageReader(allowsBareLineFeeds: false)

    /// Serves a connection until it ends, and closes it.
    static func serve(_ socket: Socket, number: Int, core: ServerCore) {
        let session = core.tls?.accept(socket.descriptor)
        if core.tls == nil || session != nil {
            var connection = ServerConnection(socket: socket, session: session, number: number, core: core)
            connection.run()
        }
        core.removeConnection(number)
        session?.release()
        socket.release()
    }

    private mutating func run() {
        do throws(MalformedRequest) {
            while let (head, request) = try receive() {
                switch send(core.response(to: request), to: head) {
                case .open: continue
                case .ended: return closeGracefully()
                case .lost: return
                }
            }
        } catch {
            let refusal = StubResponse.text("Bad request: \(error.reason)\n", status: error.status).closingConnection()
            if write(refusal.framed().pieces(to: .get).map(\.data)) { closeGracefully() }
        }
    }

    /// Returns the next request. `nil` if the client has closed the connection.
    private mutating func receive() throws(MalformedRequest) -> (RequestHead, RecordedRequest)? {
        var found = try RequestHead(&reader)
        while found == nil, fill() { found = try RequestHead(&reader) }
        guard let head = found else { return nil }

        var body = head.body
        if head.expectsContinue, reader.bytes.isEmpty {
            guard write([Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)]) else { return nil }
        }
        do throws(MessageReader.Malformed) {
            while try !body.read(&reader) {
                guard fill() else { return nil }
            }
        } catch { throw MalformedRequest(error) }
        let request = RecordedRequest(
            method: head.method, target: head.target, headers: head.headers, body: body.data, connection: number)
        return (head, request)
    }

    private enum Outcome { case open, ended, lost }

    private func send(_ response: StubResponse, to head: RequestHead) -> Outcome {
        if response.delay > .zero, !socket.staysOpen(for: response.delay) { return .lost }
        if response.failure != nil, response.failureOffset == nil { return .lost }
        if case .raw(let bytes) = response.content {
            if let fault = response.fault { return send([bytes], with: fault, closing: true) }
            return write([bytes]) ? .ended : .lost
        }

        var response = response.framed(chunking: !head.isHTTP10)
        if !head.keepsAlive { response.headers["Connection"] = "close" }
        if let offset = response.failureOffset {
            _ = write([response.start(of: offset, to: head.method)])
            return .lost
        }
        let pieces = response.pieces(to: head.method)
        if let fault = response.fault { return send(pieces.map(\.data), with: fault, closing: response.saysClose) }
        for piece in pieces {
            if piece.wait > .zero, !socket.staysOpen(for: piece.wait) { return .lost }
            guard write([piece.data]) else { return .lost }
        }
        return response.saysClose ? .ended : .open
    }

    private func send(_ pieces: [Data], with fault: StubResponse.WireFault, closing: Bool) -> Outcome {
        var bytes = Data(pieces.joined())
        if let count = fault.byteCount { bytes = bytes.prefix(count) }
        // Twenty times a second.
        let size = fault.rate.map { max(1, $0 / 20) } ?? max(1, bytes.count)
        while !bytes.isEmpty {
            guard write([bytes.prefix(size)]) else { return .lost }
            bytes = bytes.dropFirst(size)
            if let rate = fault.rate, !bytes.isEmpty, !socket.staysOpen(for: .seconds(Double(size) / Double(rate))) {
                return .lost
            }
        }
        guard fault.byteCount != nil else { return closing ? .ended : .open }
        switch fault.end {
        case .reset: socket.resetWhenReleased()
        case .halfClose:
            socket.shutDownWriting()
            while socket.staysOpen(for: .seconds(3600)) {}
        case .stall: while socket.staysOpen(for: .seconds(3600)) {}
        }
        return .lost
    }

    /// Waits for bytes. Returns `false` at the end of the connection.
    private mutating func fill() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            let count = session?.receive(into: buffer) ?? socket.receive(into: buffer)
            reader.append(buffer.prefix(max(0, count)))
            return count > 0
        }
    }

    private func write(_ pieces: [Data]) -> Bool {
        pieces.allSatisfy { piece in piece.withUnsafeBytes { session?.transmit($0) ?? socket.transmit($0) } }
    }

    /// Closes the connection as in RFC 9112 section 9.6. Closing a socket with unread bytes resets the connection, and
    /// the client may lose the response.
    private func closeGracefully() {
        session?.end()
        socket.shutDownWriting()
        let end = ContinuousClock.now + .seconds(1)
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while socket.waitForInput(timeout: ContinuousClock.now.duration(to: end)).isReadable {
                guard socket.receive(into: buffer) > 0, ContinuousClock.now < end else { return }
            }
        }
    }
}
