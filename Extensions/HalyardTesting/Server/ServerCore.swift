import Halyard
import HalyardHTTP

/// The state that the server and its threads share. It outlives the server while a thread runs.
final class ServerCore: Sendable {
    private struct State: Sendable {
        var accepted = 0
        var isStopped = false
        /// The open connections by their number.
        var connections: [Int: Socket] = [:]
    }

    /// `nil` without TLS.
    let tls: ServerTLS?
    let stubs: StubRegistry
    private let basePath: String
    private let state = Lock(State())

    init(tls: ServerTLS?, basePath: String, recordLimit: Int) {
        self.tls = tls
        self.basePath = basePath
        stubs = StubRegistry(of: "loopback server", recordLimit: recordLimit)
    }

    var accepted: Int { state.withLock { $0.accepted } }
    var open: Int { state.withLock { $0.connections.count } }

    /// Records a request and returns its response. An error is a response as well.
    func response(to request: RecordedRequest) -> StubResponse {
        do { return try stubs.response(to: request, below: basePath) } catch let error as UnmatchedRequest {
            let known = error.names.isEmpty ? " nothing" : error.names.map { "\n\($0)" }.joined()
            return .text("No stub matches \(request.method) \(request.path). The stubs are:\(known)\n", status: 404)
        } catch { return .text("\(error)\n", status: 500) }
    }

    /// Adds a connection. Returns its number. `nil` if the server has stopped.
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

    /// Ends every connection and releases the stubs, whose closures may refer to the server. Returns whether this was
    /// the first call.
    func stop() -> Bool {
        let isFirst = state.withLock { state in
            for socket in state.connections.values { socket.shutDown() }
            state.connections = [:]
            defer { state.isStopped = true }
            return !state.isStopped
        }
        stubs.releaseReplies()
        return isFirst
    }
}
