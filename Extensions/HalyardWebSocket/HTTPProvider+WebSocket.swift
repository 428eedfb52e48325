public import HalyardAsync
import HalyardFoundation
import HalyardHTTP

extension HTTPProvider {
    /// Opens a WebSocket.
    ///
    /// ```swift
    /// let socket = try await api.webSocket(Route(path: "/feed"))
    /// ```
    ///
    /// The handshake is a request like any other. It uses the provider's headers, parameters and credentials, which are
    /// renewed after a 401, cookies, interceptors, the route's timeouts and retries, and redirects by its policy. It
    /// does not use a cache. Each attempt has its own connection, over HTTP/1.1, with the engine's TLS settings and
    /// proxy. An open socket does not count as one of the engine's connections.
    ///
    /// - Parameters:
    ///   - route: The path or URL, with the method GET and without a body. A base URL or URL with `http` or `ws` opens
    ///     an unencrypted connection; one with `https` or `wss` opens a connection with TLS.
    ///   - subprotocols: The subprotocols to offer, in order of preference.
    /// - Throws: The errors of a request. ``HTTPError`` of kind `status` if the server refuses, with its response;
    ///   `invalidResponse` if the answer is not a valid handshake; `configuration` if the client's transport does not
    ///   support WebSockets, as on Apple platforms, in dry mode and with stubs. `CancellationError`, which ends the
    ///   connection.
    public nonisolated(nonsending) func webSocket(
        _ route: Route, subprotocols: [String] = [], options: WebSocketOptions = WebSocketOptions()
    ) async throws -> WebSocket {
        // The client's transport makes one such transport.
        let used = Lock<UpgradeTransport?>(nil)
        let time = client.time
        let outcome = try await upgrade(route) { transport in
            let upgrade = UpgradeTransport(transport, subprotocols: subprotocols, time)
            used.withLock { $0 = upgrade }
            return upgrade
        }
        let response = try outcome.get()
        guard let upgraded = used.withLock({ $0?.takeConnection() }) else {
            throw HTTPError(
                .invalidResponse, reason: "an interceptor answered 101, but there is no connection",
                request: outcome.request, response: response)
        }
        return WebSocket(
            upgraded, outcome.request, response, outcome.codec.mapper, options, time)
    }

    /// Opens a WebSocket for the duration of a closure. With a policy, it reconnects after a connection is lost.
    ///
    /// ```swift
    /// try await api.withWebSocket(.feed, reconnecting: .standard) { socket in
    ///     try await socket.send(.text("subscribe"))
    ///     for try await message in socket.messages { show(message) }
    /// }
    /// ```
    ///
    /// The closure starts again with each connection: nothing that was sent or received before is repeated. When it
    /// returns, the socket is closed with 1000 and the loop of connections ends. When it throws, the socket is closed
    /// with 1001. An error that may be temporary starts the next attempt; see ``WebSocketError/isTemporary``. For a
    /// handshake, these errors are lost connections, timeouts, and the statuses 429, 502, 503 and 504. Any other error
    /// ends the call.
    ///
    /// - Parameters:
    ///   - options: The limits and times. Without pings, a connection that dies silently is not noticed.
    ///   - policy: The number of attempts and the delays between them, on the client's clock. A socket that has
    ///     received a message, or was open for the policy's `stableTime`, resets the number. Defaults to `nil`: the
    ///     first error ends the call.
    /// - Throws: The errors of the closure and of ``webSocket(_:subprotocols:options:)``.
    public nonisolated(nonsending) func withWebSocket<Result>(
        _ route: Route, subprotocols: [String] = [], options: WebSocketOptions = WebSocketOptions(),
        reconnecting policy: ReconnectPolicy? = nil, _ body: (WebSocket) async throws -> Result
    ) async throws -> Result {
        let time = client.time
        var attempts = policy.map(ReconnectAttempts.init)
        while true {
            var opened: WebSocket?
            do {
                let socket = try await webSocket(route, subprotocols: subprotocols, options: options)
                opened = socket
                attempts?.begin(time)
                let result = try await body(socket)
                try await socket.close()
                return result
            } catch {
                opened?.abandon()
                guard !Task.isCancelled, error.allowsReconnecting,
                    let delay = attempts?.delay(after: opened?.hasReceived ?? false, time)
                else { throw error }
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
