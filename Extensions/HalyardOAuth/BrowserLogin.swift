public import Halyard
public import HalyardFoundation
import HalyardHTTP

extension OAuthClient {
    /// Signs in a user with a browser that you present, and returns the tokens: the authorization code flow (RFC 6749
    /// section 4.1) with PKCE (RFC 7636).
    ///
    /// On Apple's platforms, use it with SwiftUI's `webAuthenticationSession` or with `ASWebAuthenticationSession`:
    ///
    /// ```swift
    /// let token = try await client.login(redirectURL: URL(string: "com.example.app:/callback")!) { url in
    ///     try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
    /// }
    /// try await session.signIn(token)
    /// ```
    ///
    /// - Parameters:
    ///   - redirectURL: The redirect URL exactly as you have registered it with the server.
    ///   - parameters: Parameters of the authorization URL alone, such as `prompt`. They replace those of
    ///     ``OAuthClient/parameters`` with the same name there, but not the flow's own, such as `state`.
    ///   - present: Shows the authorization URL to the user, and returns the URL that the server redirects to. Do not
    ///     log either URL: they contain secrets of the login.
    /// - Throws: ``OAuthError``, such as `accessDenied`, `wrongIssuer`, `missingEndpoint` if the server has no
    ///   `authorizationURL`, or `stateMismatch` if the URL does not belong to this login; ``HTTPError``; or the error
    ///   of `present`.
    public func login(
        redirectURL: URL, scopes: [String] = [], parameters: Parameters = [:],
        present: @Sendable (URL) async throws -> URL
    ) async throws -> OAuthToken {
        let login = try Authorization(self, redirectURL: redirectURL, scopes: scopes, parameters: parameters)
        let callback = try await present(login.url).absoluteString
        let query = callback.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        guard let answer = login.answer(in: query) else { throw OAuthError(.stateMismatch) }
        return try await token(try answer.get())
    }

    /// Signs in a user with the user's own browser, which is redirected to this program, and returns the tokens (RFC
    /// 8252 section 7.3). The flow is that of ``login(redirectURL:scopes:parameters:present:)``.
    ///
    /// ```swift
    /// let token = try await client.browserLogin(scopes: ["openid"]) { url in
    ///     print("Open \(url)")
    /// }
    /// try await session.signIn(token)
    /// ```
    ///
    /// The program listens on 127.0.0.1 until the redirect arrives; the port is closed when this function returns.
    /// Other requests do not end the login, so do not change `response_mode`. There is no time limit: cancel the
    /// task to give up.
    ///
    /// - Parameters:
    ///   - parameters: Parameters of the authorization URL alone, such as `prompt`. They replace those of
    ///     ``OAuthClient/parameters`` with the same name there, but not the flow's own, such as `state`.
    ///   - host: The host of the redirect URL: `127.0.0.1`, or `localhost` for servers on which you have registered it.
    ///   - port: The port of the redirect URL, which is `http://HOST:PORT/PATH`. Defaults to 0, any free port,
    ///     which servers that follow RFC 8252 accept. Other servers need the port that you have registered.
    ///   - path: The path of the redirect URL: letters, digits and `-._~/`. Defaults to `/`.
    ///   - open: Opens the authorization URL in a browser, or prints it. If it throws, the login ends with its error.
    ///     The login does not wait for it to return, and cancels it at the end.
    /// - Throws: ``OAuthError``, such as `accessDenied`, `wrongIssuer`, `missingEndpoint` if the server has no
    ///   `authorizationURL`, or `portUnavailable`; ``HTTPError``, with the kind `invalidPath` for an unusable path;
    ///   the error of `open`; or `CancellationError`.
    public func browserLogin(
        scopes: [String] = [], parameters: Parameters = [:], host: String = "127.0.0.1", port: Int = 0,
        path: String = "/",
        open: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> OAuthToken {
        try Task.checkCancellation()
        guard ["127.0.0.1", "localhost"].contains(host) else {
            throw HTTPError(.invalidURL(host), reason: "a redirect to this machine has the host 127.0.0.1 or localhost")
        }
        let socket = try RedirectSocket(port: port)
        let login: Authorization
        do {
            let place = "http://\(host):\(socket.port)\(path)"
            // A browser must send the path as it is.
            guard path.hasPrefix("/"), path.consists(of: Self.pathCharacters), !path.contains("/."),
                let url = URL(string: place)
            else {
                throw HTTPError(
                    .invalidPath(path), reason: "it does not start with /, or has a character that must be encoded")
            }
            login = try Authorization(self, redirectURL: url, scopes: scopes, parameters: parameters)
        } catch {
            socket.release()
            throw error
        }
        let answer = CancellableWaiter<Parameters>()
        let listener = try RedirectListener(socket, path: path) { query in
            guard let result = login.answer(in: query) else { return .foreign }
            answer.end(with: result.mapError { $0 })
            return if case .success = result { .confirmed } else { .refused }
        }
        let opening = Task {
            do { try await open(login.url) } catch { answer.end(with: .failure(error)) }
        }
        let result = await answer.result()
        opening.cancel()
        await listener.stop()
        return try await token(result.get())
    }

    private static let pathCharacters = ASCIISet.unreserved.union(ASCIISet("/"))
}
