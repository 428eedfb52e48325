import HalyardHTTP

/// The state that the server and its threads share. It outlives the server while a thread runs.
final class ServerCore: Sendable {
    private struct State: Sendable {
        var table = StubTable()
        var record: RequestRecord
        var accepted = 0
        var isStopped = false
        /// The open connections by their number.
        var connections: [Int: Socket] = [:]
    }

    /// `nil` without TLS.
    let tls: ServerTLS?
    private let basePath: String
    private let state: Lock<State>

    init(tls: ServerTLS?, basePath: String, recordLimit: Int) {
        self.tls = tls
        self.basePath = basePath
        state = Lock(State(record: RequestRecord(limit: recordLimit)))
    }

    var requests: [RecordedRequest] { state.withLock { $0.record.requests } }
    var accepted: Int { state.withLock { $0.accepted } }
    var open: Int { state.withLock { $0.connections.count } }

    func set(_ stub: Stub) { state.withLock { $0.table.set(stub) } }

    var verification: StubVerification {
        state.withLock { StubVerification(problems: $0.table.problems, order: $0.record.requests.compactMap(\.stub)) }
    }

    /// Records a request and returns its response.
    func response(to request: RecordedRequest) -> MockResponse {
        var request = request
        let (reply, names) = state.withLock { state in
            let reply = state.table.reply(to: &request, below: basePath)
            state.record.append(request)
            return (reply, reply == nil ? state.table.names(nearest: request, below: basePath) : [])
        }
        guard let reply else { return .unmatched(request, names) }
        do { return try reply.response(to: request) } catch { return .text("\(error)\n", status: 500) }
    }

    /// Waits for a request.
    ///
    /// - Throws: ``WaitTimeout``, or `CancellationError`.
    func request(_ number: Int, within limit: Duration) async throws -> RecordedRequest {
        try await state.request(number, in: \.record, within: limit, from: "loopback server")
    }

    /// Adds a connection.
    ///
    /// - Returns: Its number. `nil` if the server has stopped.
    func addConnection(_ socket: Socket) -> Int? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            defer { state.accepted += 1 }
            state.connections[state.accepted] = socket
            return state.accepted
        }
    }

    /// Removes a connection. The caller closes the socket afterwards, so that ``stop()`` never uses a closed one.
    func removeConnection(_ number: Int) {
        state.withLock { state in state.connections[number] = nil }
    }

    /// Ends every connection and releases the stubs, whose closures may refer to the server.
    ///
    /// - Returns: Whether this was the first call.
    func stop() -> Bool {
        let (isFirst, releasedReplies) = state.withLock { state in
            let (isFirst, replies) = (!state.isStopped, state.table.releaseReplies())
            for socket in state.connections.values { socket.shutDown() }
            state.connections = [:]
            state.isStopped = true
            return (isFirst, replies)
        }
        // The closures are released here and not under the lock, because releasing a closure may run user code.
        _ = consume releasedReplies
        return isFirst
    }
}

extension MockResponse {
    fileprivate static func unmatched(_ request: RecordedRequest, _ names: [String]) -> MockResponse {
        let known = names.isEmpty ? " nothing" : names.map { "\n\($0)" }.joined()
        return .text("No stub matches \(request.method) \(request.path). The stubs are:\(known)\n", status: 404)
    }
}
