import HalyardHTTP

/// The end of the pipeline for a WebSocket: it makes a connection and the opening handshake instead of sending a
/// request. All stages above it, such as credentials, cookies, redirects and retries, are those of every request.
final class UpgradeTransport: Transport {
    /// A connection after the handshake.
    struct Upgraded: Sendable {
        let connection: ByteConnection
        /// The bytes that have arrived after the head of the response.
        let firstBytes: [UInt8]
        let subprotocol: String?
    }

    private let transport: any Transport
    private let subprotocols: [String]
    private let time: PipelineTime
    private let upgraded = Lock<Upgraded?>(nil)

    /// Makes the transport.
    ///
    /// - Parameters:
    ///   - transport: The transport of the client. It must be able to hand over connections.
    ///   - subprotocols: The subprotocols to offer, in order of preference.
    ///   - time: The client's clock, for the time limits of the handshake.
    init(_ transport: any Transport, subprotocols: [String], _ time: PipelineTime) {
        self.transport = transport
        self.subprotocols = subprotocols
        self.time = time
    }

    /// Takes the connection of the last response with the status 101.
    func takeConnection() -> Upgraded? { upgraded.withLock { $0.take() } }

    /// Makes the handshake. Returns the response. After a 101, ``takeConnection()`` has the connection. Throws
    /// ``HTTPError``, or `CancellationError`.
    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let handshake = Handshake(subprotocols: subprotocols)
        try handshake.check(request)
        try request.checkHeaders()
        guard let transport = transport as? any ByteTransport else { throw Self.unsupported(transport, request) }
        return try await leavable(within: context.timeout, time) { [self] in
            let connection = try await transport.connect(for: request, context: context)
            return try await shakeHands(
                handshake, request, connection, silence: context.idleTimeout ?? transport.configuration.idleTimeout,
                headerLimit: transport.configuration.headerLimit)
        } throwing: {
            HTTPError.exceeded(.request, reason: "it took longer than \(context.timeout.map { "\($0)" } ?? "")")
        }
    }

    private func shakeHands(
        _ handshake: Handshake, _ request: HTTPRequest, _ connection: ByteConnection, silence: Duration?,
        headerLimit: Int
    ) async throws -> HTTPResponse {
        try connection.outgoing.append(handshake.head(of: request))
        var reader = ResponseReader(headerLimit: headerLimit)
        while true {
            let bytes = try await leavable(within: silence, time) {
                try await connection.incoming.read()
            } throwing: {
                HTTPError.exceeded(
                    .idle, reason: "no byte of the handshake arrived for \(silence.map { "\($0)" } ?? "")")
            }
            guard let bytes else {
                guard reader.isHeadComplete else {
                    throw HTTPError(.connectionLost, reason: "the server ended the connection in the handshake")
                }
                break
            }
            if try reader.add(bytes) { break }
        }
        var response = HTTPResponse(status: reader.status, headers: reader.headers, from: request.address)
        guard reader.status == 101 else {
            response.data = reader.body
            return response
        }
        let subprotocol = try handshake.subprotocol(in: response)
        upgraded.withLock {
            $0 = Upgraded(connection: connection, firstBytes: reader.rest, subprotocol: subprotocol)
        }
        return response
    }

    private static func unsupported(_ transport: any Transport, _ request: HTTPRequest) -> HTTPError {
        HTTPError(
            .configuration("transport"), reason: "WebSocket is not supported by \(type(of: transport))",
            suggestion: "Use the engine for Linux, CurlTransport. On Apple's systems, use URLSessionWebSocketTask",
            request: request)
    }
}
