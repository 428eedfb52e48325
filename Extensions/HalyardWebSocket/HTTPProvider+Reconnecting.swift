public import HalyardAsync
import HalyardHTTP

extension HTTPProvider {
    /// Opens a WebSocket for the time of a closure, and opens another one after a connection was lost, if there is a
    /// policy.
    ///
    /// ```swift
    /// try await api.withWebSocket(.feed, reconnecting: .standard) { socket in
    ///     try await socket.send(.text("subscribe"))
    ///     for try await message in socket.messages { show(message) }
    /// }
    /// ```
    ///
    /// The closure begins again with each connection: nothing that was sent or received before is repeated. When it
    /// returns, the socket is closed with 1000, and so is the loop of connections. When it throws, the socket is closed
    /// with 1001. An error that may be temporary begins the next attempt; see ``WebSocketError/isTemporary``. For a
    /// handshake these are lost connections, time limits, and the statuses 429, 502, 503 and 504. Other errors end the
    /// call.
    ///
    /// - Parameters:
    ///   - route: The path or URL. See ``webSocket(_:subprotocols:options:)``.
    ///   - subprotocols: The subprotocols to offer, in order of preference. Defaults to none.
    ///   - options: The limits and times. Defaults to those of `WebSocketOptions()`. Without pings, a connection that
    ///     dies silently is not noticed.
    ///   - policy: The number of attempts and the delays between them, on the client's clock. A socket that has received
    ///     a message, or was open for the policy's `stableTime`, resets the number. Defaults to `nil`: the first error
    ///     ends the call.
    ///   - body: Uses the socket.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or what ``webSocket(_:subprotocols:options:)`` throws.
    public nonisolated(nonsending) func withWebSocket<Result>(
        _ route: Route, subprotocols: [String] = [], options: WebSocketOptions = WebSocketOptions(),
        reconnecting policy: ReconnectPolicy? = nil, _ body: (WebSocket) async throws -> Result
    ) async throws -> Result {
        let time = client.time
        var attempts = 0
        while true {
            var opened: (socket: WebSocket, at: Duration)?
            do {
                let socket = try await webSocket(route, subprotocols: subprotocols, options: options)
                opened = (socket, time.now())
                let result = try await body(socket)
                try await socket.close()
                return result
            } catch {
                if let opened {
                    opened.socket.abandon()
                    let isStable = policy.map { time.now() - opened.at >= $0.stableTime } ?? false
                    if isStable || opened.socket.hasReceived { attempts = 0 }
                }
                guard let policy, !Task.isCancelled, error.allowsReconnecting, attempts < policy.attempts else {
                    throw error
                }
                attempts += 1
                let delay = policy.delay(before: attempts, requested: nil, random: time.random())
                try await time.sleep(delay)
            }
        }
    }
}

extension Error {
    /// Whether another connection may succeed.
    fileprivate var allowsReconnecting: Bool {
        if let error = self as? WebSocketError { return error.isTemporary }
        guard let error = self as? HTTPError else { return false }
        return error.isTemporary || [429, 502, 503, 504].contains(error.status)
    }
}
