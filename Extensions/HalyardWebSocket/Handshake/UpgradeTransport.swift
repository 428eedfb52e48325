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
    private let upgraded = Lock<Upgraded?>(nil)

    /// Makes the transport.
    ///
    /// - Parameters:
    ///   - transport: The transport of the client. It must be able to hand over connections.
    ///   - subprotocols: The subprotocols to offer, in order of preference.
    init(_ transport: any Transport, subprotocols: [String]) {
        self.transport = transport
        self.subprotocols = subprotocols
    }

    /// Takes the connection of the last response with the status 101.
    func takeConnection() -> Upgraded? { upgraded.withLock { $0.take() } }

    /// Makes the handshake.
    ///
    /// - Returns: The response. After a 101, ``takeConnection()`` has the connection.
    /// - Throws: ``HTTPError``, or `CancellationError`.
    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let handshake = Handshake(subprotocols: subprotocols)
        try handshake.check(request)
        try request.checkHeaders()
        guard let transport = transport as? any ByteTransport else { throw Self.unsupported(transport, request) }
        return try await TimeLimit.whole(context).run { [self] in
            let connection = try await transport.connect(for: request, context: context)
            return try await TimeLimit.silence(context).run { [self] in
                try await shakeHands(handshake, request, connection)
            }
        }
    }

    private func shakeHands(
        _ handshake: Handshake, _ request: HTTPRequest, _ connection: ByteConnection
    ) async throws -> HTTPResponse {
        try connection.outgoing.append(handshake.head(of: request))
        var reader = ResponseReader()
        while true {
            guard let bytes = try await connection.incoming.read() else {
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

/// A time limit of the handshake.
private struct TimeLimit: Sendable {
    let duration: Duration?
    let error: HTTPError

    /// The limit of the whole request.
    static func whole(_ context: TransferContext) -> TimeLimit {
        let reason = "it took longer than \(context.timeout.map { "\($0)" } ?? "")"
        return TimeLimit(duration: context.timeout, error: .exceeded(.request, reason: reason))
    }

    /// The limit of the time in which no byte moves. The handshake is short, so that it is that of the handshake.
    static func silence(_ context: TransferContext) -> TimeLimit {
        let limit = context.idleTimeout ?? .seconds(60)
        return TimeLimit(
            duration: limit, error: .exceeded(.idle, reason: "the handshake was not complete within \(limit)"))
    }

    func run(
        _ body: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let duration else { return try await body() }
        return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            group.addTask(operation: body)
            group.addTask { [error] in
                try await Task.sleep(for: duration)
                throw error
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
