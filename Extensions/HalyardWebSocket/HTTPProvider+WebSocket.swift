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
    /// The handshake is a request like any other: with the provider's header fields, parameters and credentials, which
    /// are renewed after a 401, with cookies, interceptors, the time limits and retries of the route, and redirects by
    /// its policy. A cache is not used. Each try has a connection of its own, over HTTP/1.1, with the engine's TLS
    /// settings and proxy. An open socket does not count as one of the engine's connections.
    ///
    /// - Parameters:
    ///   - route: The path or URL, with the method GET and without a body. A base URL or URL with `http` or `ws` opens a
    ///     connection without encryption, one with `https` or `wss` a connection with TLS.
    ///   - subprotocols: The subprotocols to offer, in order of preference. Defaults to none.
    ///   - options: The limits and times. Defaults to those of `WebSocketOptions()`.
    /// - Returns: The open socket.
    /// - Throws: What a request throws. ``HTTPError`` of kind `status` if the server refuses, with its response;
    ///   `invalidResponse` for an answer that is no valid handshake; `configuration` if the client's transport does not
    ///   support WebSocket, as on Apple's systems, in dry mode and with stubs. `CancellationError`, which ends the
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
}
