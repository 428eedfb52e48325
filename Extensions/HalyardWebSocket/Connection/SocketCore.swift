import HalyardFoundation
import HalyardHTTP

/// The part of a socket that its tasks hold, so that a socket without references can end.
///
/// One task receives: it parses frames, answers pings, and queues messages until the queue is full. Any task sends.
final class SocketCore: Sendable {
    let url: URL
    private let connection: ByteConnection
    private let options: WebSocketOptions
    private let time: PipelineTime
    /// Masks the secrets of the handshake, which a server may repeat in its reasons.
    private let redaction: Redaction
    private let state = Lock(SocketState())

    init(
        _ connection: ByteConnection, _ url: URL, _ options: WebSocketOptions, _ time: PipelineTime,
        _ redaction: Redaction
    ) {
        self.redaction = redaction
        self.connection = connection
        self.url = url
        self.options = options
        self.time = time
    }

    /// Starts the tasks.
    ///
    /// - Parameter firstBytes: Bytes that came with the response of the handshake.
    func start(_ firstBytes: [UInt8]) {
        Task { await receive(Data(firstBytes)) }
        guard let interval = options.pingInterval else { return }
        addTimer(Task { await sendPings(every: max(interval, .milliseconds(1))) })
    }

    private func addTimer(_ timer: Task<Void, Never>) {
        if !state.withLock({ $0.add(timer) }) { timer.cancel() }
    }

    /// The server's close code and reason; `nil` while the socket is open.
    var close: (code: WebSocketCloseCode, reason: String)? { state.withLock { $0.close } }

    /// Whether the receiving task waits for the reader.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    var hasReceived: Bool { state.withLock { $0.hasReceived } }

    func error(_ kind: WebSocketError.Kind, _ reason: String? = nil, cause: (any Error)? = nil) -> WebSocketError {
        WebSocketError(kind: kind, url: url, reason: reason.map(redaction.text), cause: cause)
    }

    private func wake(_ waiters: SocketState.Waiters) {
        for waiter in waiters { waiter.end(with: .success(())) }
    }

    private func finish(
        _ end: Result<Void, WebSocketError>,
        close: (code: WebSocketCloseCode, reason: String) = (.abnormalClosure, "")
    ) {
        let effects = state.withLock { $0.finish(end, close: close) }
        wake(effects.waiters)
        let failure: any Error = if case .failure(let error) = end { error } else { error(.notOpen) }
        for waiter in effects.pings { waiter.end(with: .failure(failure)) }
        for timer in effects.timers { timer.cancel() }
    }
}

// The reader.
extension SocketCore {
    /// Returns the next message; `nil` after the end.
    nonisolated(nonsending) func next() async throws -> WebSocketMessage? {
        while true {
            if Task.isCancelled {
                abandon()
                throw CancellationError()
            }
            switch state.withLock({ $0.next() }) {
            case .message(let message, let waiters):
                wake(waiters)
                return message
            case .end(let end):
                try end.get()
                return nil
            // It ends with success, or by a cancellation, which the next step finds.
            case .wait(let waiter): _ = await waiter.result()
            }
        }
    }
}

// The receiving task.
extension SocketCore {
    private func receive(_ firstBytes: Data) async {
        var parser = FrameParser(limit: options.messageLimit)
        do {
            var bytes: Data? = firstBytes
            while let chunk = bytes {
                try handle(chunk, &parser)
                if parser.isClosed { return await endConnection() }
                while let waiter = state.withLock({ $0.waitForRoom() }) { _ = await waiter.result() }
                bytes = try await connection.incoming.read()
            }
            finish(.failure(error(.connectionLost, "the server ended it without a close frame")))
        } catch let violation as ProtocolViolation {
            let isTooBig = violation.code == .messageTooBig
            finish(
                .failure(
                    isTooBig
                        ? error(.messageTooLarge(limit: options.messageLimit))
                        : error(.protocolViolation, violation.reason)))
            connection.outgoing.seal(with: FrameWriter.close(violation.code, reason: violation.reason))
            return await endConnection()
        } catch {
            finish(.failure(self.error(.connectionLost, (error as? HTTPError)?.reason, cause: error)))
        }
        connection.close()
    }

    private func handle(_ chunk: Data, _ parser: inout FrameParser) throws(ProtocolViolation) {
        var messages: [WebSocketMessage] = []
        let result = chunk.withUnsafeBytes { bytes in
            Result { () throws(ProtocolViolation) in
                try parser.parse(bytes) { event in
                    if case .message(let message) = event { return messages.append(message) }
                    deliver(&messages)
                    handle(event)
                }
            }
        }
        deliver(&messages)
        try result.get()
    }

    private func deliver(_ messages: inout [WebSocketMessage]) {
        guard !messages.isEmpty else { return }
        let new = messages
        messages = []
        wake(state.withLock { $0.add(new) })
    }

    private func handle(_ event: FrameParser.Event) {
        switch event {
        case .message: break
        case .ping(let payload): connection.outgoing.writeUrgent(FrameWriter.frame(.pong, payload))
        case .pong(let payload):
            guard payload.count == 8 else { return }
            let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            wake(state.withLock { $0.pong(number) })
        case .close(let code, let reason):
            connection.outgoing.seal(with: FrameWriter.close(code))
            let isNormal = code == nil || code == .normalClosure
            let known = code ?? .noStatusReceived
            finish(
                isNormal ? .success(()) : .failure(error(.closed(known), reason.isEmpty ? nil : reason)),
                close: (known, reason))
        }
    }

    /// Waits until the server ends the connection, for a limited time, after everything was sent. Without this wait the
    /// system may drop the close frame (RFC 6455 section 7.1.1).
    private func endConnection() async {
        connection.outgoing.finish()
        let timer = closeTimer()
        while (try? await connection.incoming.read()) != nil {}
        timer.cancel()
        connection.close()
    }

    /// Ends the socket after the time limit for the server's part of the closing handshake.
    private func closeTimer() -> Task<Void, Never> {
        Task {
            guard (try? await time.sleep(options.closeTimeout)) != nil else { return }
            finish(.success(()))
            connection.close()
        }
    }
}

// Senders.
extension SocketCore {
    /// Sends a message, and waits before that while too much is waiting to be sent.
    nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws {
        // The connection is closed a moment after the end, and accepts messages until then.
        guard state.withLock({ $0.end == nil }) else { throw closedError }
        do { try await connection.outgoing.write(FrameWriter.frame(message)) } catch is SendQueue.Sealed {
            throw closedError
        } catch let error as HTTPError {
            let hasEnded = state.withLock { $0.end != nil }
            throw hasEnded ? closedError : self.error(.connectionLost, error.reason, cause: error)
        }
    }

    /// The error of a message that comes after the end.
    private var closedError: WebSocketError {
        if case .failure(let error)? = state.withLock({ $0.end }) { error } else { error(.notOpen) }
    }

    /// Sends a ping, and waits for its pong. Returns the time between them.
    nonisolated(nonsending) func ping() async throws -> Duration {
        guard let (number, waiter) = try beginPing() else { throw closedError }
        let start = time.now()
        try await waiter.value { [state] in state.withLock { $0.forgetPing(number) } }
        return time.now() - start
    }

    private func beginPing() throws -> (number: UInt64, waiter: CancellableWaiter<Void>)? {
        guard let ping = state.withLock({ $0.beginPing() }) else { return nil }
        do { try connection.outgoing.append(FrameWriter.frame(.ping, ping.number.bigEndianBytes)) } catch {
            state.withLock { $0.forgetPing(ping.number) }
            return nil
        }
        return ping
    }

    private func sendPings(every interval: Duration) async {
        let timeout = max(options.pongTimeout, .milliseconds(1))
        while (try? await time.sleep(interval)) != nil {
            let before = state.withLock { (isPaused: $0.isPaused, count: $0.pauseCount) }
            guard let (_, waiter) = try? beginPing() else { return }
            let timer = Task { [time] in
                try await time.sleep(timeout)
                waiter.end(with: .failure(LatePong()))
            }
            let result = await waiter.result()
            timer.cancel()
            guard case .failure(let error) = result else { continue }
            guard error is LatePong else { return }
            // Pongs are not read while the reader takes no messages.
            if before.isPaused || before.count != state.withLock({ $0.pauseCount }) { continue }
            finish(.failure(self.error(.pingTimeout, "not within \(timeout)")))
            return connection.close()
        }
    }

    private struct LatePong: Error {}
}

// The closing handshake.
extension SocketCore {
    /// Sends a close frame, and waits for that of the server, for a limited time.
    nonisolated(nonsending) func close(_ code: WebSocketCloseCode, reason: String) async {
        begin(code, reason: reason)
        while let waiter = state.withLock({ $0.waitForEnd() }) {
            if case .failure = await waiter.result() { return connection.close() }
        }
    }

    /// Begins to close a socket that is not used any more, without waiting for the end.
    func abandon() { begin(.goingAway, reason: "") }

    private func begin(_ code: WebSocketCloseCode, reason: String) {
        guard let waiters = state.withLock({ $0.beginClosing() }) else { return }
        connection.outgoing.seal(with: FrameWriter.close(code, reason: reason))
        wake(waiters)
        addTimer(closeTimer())
    }
}
